// The relocated template of a small library, word by word, and what placing makes of it.
#include "runtime/image/relocation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/runtime/image/rank_host.hpp"

namespace weft::image {
namespace {

class Golden : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ProgramOptions options;
    options.overrides = host_functions();
    options.ranks_stay_on_thread = true;
    program_ = Program::load(test_program(GetParam()), shim_path(), options);
  }

  // "symbol+offset" of a slot offset.
  std::string name_of(std::uint64_t offset) const {
    const Image& image = program_->images().front();
    const SymbolTable& symbols = image.elf.symbols;
    for (std::uint32_t i = 1; i < symbols.size(); ++i) {
      const Elf64_Sym& s = symbols.at(i);
      const std::uint64_t distance = offset - image.base - s.st_value;
      const bool variable = s.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s.st_info) != STT_TLS;
      if (variable && distance < s.st_size) {
        return std::string(symbols.name(i)) + "+" + std::to_string(distance);
      }
    }
    return "?";
  }

  std::uint64_t initial_word(std::uint64_t offset) const {
    for (const Template::Piece& piece : program_->initial().pieces) {
      if (offset - piece.slot_offset < piece.bytes.size()) {
        std::uint64_t word = 0;
        std::memcpy(&word, &piece.bytes[offset - piece.slot_offset], sizeof word);
        return word;
      }
    }
    ADD_FAILURE() << "offset " << offset << " has no initial bytes";
    return 0;
  }

  std::uint64_t thread_local_word(Slot slot, const char* name) const {
    const Image& image = program_->images().front();
    std::uint64_t word = 0;
    std::memcpy(&word, slot.data() + image.tls_block + image.elf.symbols.find(name, "")->st_value, sizeof word);
    return word;
  }

  std::unique_ptr<Program> program_;
};

TEST_P(Golden, NamedWordsPointWhereTheSourceSays) {
  std::vector<std::string> words;
  for (const std::uint64_t offset : program_->initial().add_slot) {
    const std::string from = name_of(offset);
    // A linker may bind a pointer to an indirect function to a stub of its own.
    if (from != "?" && from != "indirect_pointer+0") {
      words.push_back(from + " = " + name_of(initial_word(offset)));
    }
  }
  EXPECT_THAT(words, testing::UnorderedElementsAre("pointer+0 = target+0", "inner+0 = target+12", "hidden+0 = ?",
                                                   "own+0 = function+0", "chain+0 = pointer+0"));
  EXPECT_EQ(initial_word(program_->symbol("host").value()),
            reinterpret_cast<std::uint64_t>(host_functions().at("host_rank")));
  EXPECT_EQ(initial_word(program_->symbol("weak").value()), 0U);
  EXPECT_GE(program_->initial().indirect.size(), 1U);
}

TEST_P(Golden, EverySlotGetsItsOwnWords) {
  const Region region(3);
  program_->publish(region);
  std::vector<Slot> slots = {region.slot(0), region.slot(2)};
  for (const Slot slot : slots) {
    program_->place(slot, {});
    const auto word = [&](const char* name) {
      std::uint64_t value = 0;
      std::memcpy(&value, slot.data() + program_->symbol(name).value(), sizeof value);
      return value - reinterpret_cast<std::uint64_t>(slot.data());
    };
    EXPECT_EQ(word("pointer"), program_->symbol("target").value());
    EXPECT_EQ(word("inner"), program_->symbol("target").value() + 12);
    EXPECT_EQ(word("chain"), program_->symbol("pointer").value());
    auto* chosen = *reinterpret_cast<int (**)()>(slot.data() + program_->symbol("indirect_pointer").value());
    EXPECT_EQ(chosen(), 42);
    EXPECT_EQ(thread_local_word(slot, "per_thread") & 0xffffffff, 5U);
    EXPECT_EQ(thread_local_word(slot, "per_thread_pointer"),
              reinterpret_cast<std::uint64_t>(slot.data()) + program_->symbol("target").value() + 4);
  }
  slots.front()[program_->symbol("target").value()] = std::byte{99};
  EXPECT_EQ(slots.back()[program_->symbol("target").value()], std::byte{1});
  for (const Slot slot : slots) {
    program_->release(slot);
  }
}

INSTANTIATE_TEST_SUITE_P(Links, Golden, testing::Values(WEFT_TEST_GOLDEN), [](const auto& linked) {
  const std::string file = linked.param;
  return file.substr(0, file.find('.'));
});

}  // namespace
}  // namespace weft::image
