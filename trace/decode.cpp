#include "trace/decode.hpp"

namespace weft::trace {

bool decode(Cursor& cursor, DecoderState& stream, Names& names, Event& event) {
  std::uint8_t kind = 0;
  do {
    if (cursor.at_end()) {
      return false;
    }
    kind = cursor.byte();
    if (kind == kNameRecord) {
      stream.names.push_back(names.intern(cursor.take(cursor.number())));
    }
  } while (kind == kNameRecord);
  if (kind > static_cast<std::uint8_t>(kLastKind)) {
    throw cursor.damaged();
  }
  event = {.kind = EventKind{kind}, .time = stream.time += cursor.number()};
  const Fields fields = fields_of(event.kind);
  event.rank = RankId{fields.rank ? cursor.small_number() : 0};
  if (fields.name) {
    const std::uint64_t number = cursor.number();
    if (number >= stream.names.size()) {
      throw cursor.damaged();
    }
    event.name = stream.names[number];
  }
  event.peer = fields.peer ? cursor.small_number() : 0;
  event.tag = fields.tag ? static_cast<std::int32_t>(unzigzag(cursor.number())) : 0;
  event.comm = fields.comm ? cursor.small_number() : 0;
  event.request = fields.request ? cursor.small_number() : 0;
  event.value = fields.value ? unzigzag(cursor.number()) : 0;
  event.more = fields.more ? unzigzag(cursor.number()) : 0;
  return true;
}

}  // namespace weft::trace
