// pup_c.h and pup.h as programs use them on their own: counted, packed, unpacked.
#include "pup.h"

#include <gtest/gtest.h>

#include <numeric>

namespace {

enum class Colour { red, green };

struct Point {
  double x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

struct Plain {
  int a = 0;
  char b = 0;
  bool operator==(const Plain&) const = default;
};

struct Everything {
  int number = 0;
  Colour colour = Colour::red;
  std::string text;
  std::vector<double> reals;
  std::vector<bool> bits;
  std::vector<std::string> words;
  std::vector<Point> points;
  std::array<short, 3> shorts{};
  float row[4]{};
  std::list<int> list;
  std::deque<Plain> queue;
  std::map<std::string, std::vector<int>> map;
  std::unordered_map<int, double> table;
  std::set<long> set;
  std::pair<int, std::string> pair;
  std::complex<double> complex;
  std::unique_ptr<Point> present, absent;

  void pup(PUP::er& p) {
    p | number;
    p | colour | text | reals | bits | words | points | shorts | row | list | queue | map | table | set | pair;
    p | complex;
    p | present | absent;
  }
};

// By a function beside the type.
void pup(PUP::er& p, Point& point) { p | point.x | point.y; }

}  // namespace

PUPbytes(Plain)

    namespace {
  template <typename T>
  std::vector<char> packed(T & value) {
    PUP::sizer sizer;
    sizer | value;
    std::vector<char> buffer(sizer.size());
    PUP::toMem packer(buffer.data());
    packer | value;
    EXPECT_EQ(packer.size(), buffer.size());
    return buffer;
  }

  template <typename T>
  void unpack(const std::vector<char>& buffer, T& value) {
    PUP::fromMem unpacker(buffer.data());
    unpacker | value;
    EXPECT_EQ(unpacker.size(), buffer.size());
  }

  Everything filled() {
    Everything all;
    all.number = -7;
    all.colour = Colour::green;
    all.text = "a text that is longer than a string keeps in itself";
    all.reals = {1.5, -2.5, 1e300};
    all.bits = {true, false, true};
    all.words = {"", "one", "two"};
    all.points = {{1, 2}, {3, 4}};
    all.shorts = {1, -2, 3};
    std::iota(std::begin(all.row), std::end(all.row), 1.0F);
    all.list = {5, 6, 7};
    all.queue = {{1, 'x'}, {2, 'y'}};
    all.map = {{"a", {1, 2}}, {"b", {}}};
    all.table = {{1, 0.5}, {2, 0.25}};
    all.set = {3, 1, 2};
    all.pair = {9, "nine"};
    all.complex = {1, -1};
    all.present = std::make_unique<Point>(Point{8, 9});
    return all;
  }

  TEST(PupInterface, RestoresObjectsOfEveryKind) {
    Everything from = filled();
    Everything to;
    to.list = {99};
    to.absent = std::make_unique<Point>();
    unpack(packed(from), to);
    EXPECT_EQ(to.number, from.number);
    EXPECT_EQ(to.colour, from.colour);
    EXPECT_EQ(to.text, from.text);
    EXPECT_EQ(to.reals, from.reals);
    EXPECT_EQ(to.bits, from.bits);
    EXPECT_EQ(to.words, from.words);
    EXPECT_EQ(to.points, from.points);
    EXPECT_EQ(to.shorts, from.shorts);
    EXPECT_TRUE(std::equal(std::begin(to.row), std::end(to.row), std::begin(from.row)));
    EXPECT_EQ(to.list, from.list);
    EXPECT_EQ(to.queue, from.queue);
    EXPECT_EQ(to.map, from.map);
    EXPECT_EQ(to.table, from.table);
    EXPECT_EQ(to.set, from.set);
    EXPECT_EQ(to.pair, from.pair);
    EXPECT_EQ(to.complex, from.complex);
    ASSERT_NE(to.present, nullptr);
    EXPECT_EQ(*to.present, *from.present);
    EXPECT_EQ(to.absent, nullptr);
  }

  TEST(PupInterface, SaysWhatACallIsFor) {
    char byte = 0;
    PUP::sizer sizer;
    EXPECT_TRUE(sizer.isSizing() && !sizer.isPacking() && !sizer.isUnpacking() && !sizer.isDeleting());
    PUP::toMem packer(&byte);
    EXPECT_TRUE(!packer.isSizing() && packer.isPacking() && !packer.isUnpacking());
    PUP::fromMem unpacker(&byte);
    EXPECT_TRUE(!unpacker.isSizing() && !unpacker.isPacking() && unpacker.isUnpacking());
    pup_er const c = &unpacker;
    EXPECT_EQ(pup_isUnpacking(c), 1);
    EXPECT_EQ(pup_isPacking(c), 0);
  }

  TEST(PupInterface, PacksArraysInARow) {
    double values[] = {1, 2, 3};
    std::vector<char> buffer(sizeof values + sizeof(int));
    PUP::toMem packer(buffer.data());
    PUParray(packer, values, 2);
    packer(values + 2, 1);
    int last = 4;
    packer(last);
    double back[3] = {};
    PUP::fromMem unpacker(buffer.data());
    unpacker(static_cast<void*>(back), sizeof back);
    EXPECT_EQ(back[0] + 10 * back[1] + 100 * back[2], 321);
  }

  struct Fields {
    char c = 0;
    short s = 0;
    int i[3] = {};
    long l = 0;
    unsigned char uc = 0;
    unsigned short us = 0;
    unsigned int ui = 0;
    unsigned long ul[2] = {};
    long long i8 = 0;
    std::size_t size = 0;
    float f[2] = {};
    double d = 0;
    void* pointer = nullptr;
    char raw[5] = {};
    bool operator==(const Fields&) const = default;
  };

  void pup_fields(pup_er p, Fields * f) {
    pup_char(p, &f->c);
    pup_short(p, &f->s);
    pup_ints(p, f->i, 3);
    pup_long(p, &f->l);
    pup_uchar(p, &f->uc);
    pup_ushort(p, &f->us);
    pup_uint(p, &f->ui);
    pup_ulongs(p, f->ul, 2);
    pup_int8(p, &f->i8);
    pup_size_t(p, &f->size);
    pup_floats(p, f->f, 2);
    pup_double(p, &f->d);
    pup_pointer(p, &f->pointer);
    pup_bytes(p, f->raw, sizeof f->raw);
  }

  TEST(PupInterface, HasTheNamesOfC) {
    Fields from{'c', -1, {1, 2, 3}, 4, 5, 6, 7, {8, 9}, -10, 11, {1.5F, 2.5F}, 3.5, &from, {'h', 'a', 'l', 'l', 'o'}};
    pup_er const sizer = pup_new_sizer();
    pup_fields(sizer, &from);
    std::vector<char> buffer(pup_size(sizer));
    pup_destroy(sizer);
    pup_er const packer = pup_new_toMem(buffer.data());
    pup_fields(packer, &from);
    pup_destroy(packer);
    Fields to;
    pup_er const unpacker = pup_new_fromMem(buffer.data());
    pup_fields(unpacker, &to);
    EXPECT_EQ(pup_size(unpacker), buffer.size());
    pup_destroy(unpacker);
    EXPECT_EQ(to, from);
  }

}  // namespace
