// Random nested datatypes, each made twice: by MPI and as an Oracle.
#pragma once

#include <random>
#include <vector>

#include "tests/mpi_shim/datatype/datatype_oracle.hpp"

namespace weft::mpi_shim {

struct MadeType {
  MPI_Datatype type;
  Oracle oracle;
  std::vector<MPI_Datatype> to_free;
};

class RandomTypes {
 public:
  explicit RandomTypes(unsigned seed) : random_(seed) {}

  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  int between(int low, int high) { return low + below(high - low + 1); }

  MadeType make(int depth) {
    if (depth == 0) {
      return basic();
    }
    MadeType old = make(depth - 1);
    MadeType made = derive(old);
    made.to_free.insert(made.to_free.end(), old.to_free.begin(), old.to_free.end());
    made.to_free.push_back(made.type);
    return made;
  }

 private:
  MadeType basic() {
    switch (below(4)) {
      case 0:
        return {MPI_CHAR, Oracle::basic(1), {}};
      case 1:
        return {MPI_SHORT, Oracle::basic(2), {}};
      case 2:
        return {MPI_INT, Oracle::basic(4), {}};
      default:
        return {MPI_DOUBLE, Oracle::basic(8), {}};
    }
  }

  MadeType derive(const MadeType& old) {
    switch (below(11)) {
      case 0:
        return contiguous(old);
      case 1:
        return vector(old);
      case 2:
        return hvector(old);
      case 3:
        return indexed(old);
      case 4:
        return hindexed(old);
      case 5:
        return indexed_block(old);
      case 6:
        return structure(old);
      case 7:
        return resized(old);
      case 8:
        return subarray(old);
      case 9:
        return darray(old);
      default:
        return hindexed_block(old);
    }
  }

  MadeType contiguous(const MadeType& old) {
    MadeType made{};
    const int count = below(5);
    MPI_Type_contiguous(count, old.type, &made.type);
    made.oracle.place(old.oracle, 0, count);
    return made;
  }

  MadeType vector(const MadeType& old) {
    MadeType made{};
    const int count = below(5);
    const int length = below(4);
    const int stride = between(-5, 6);
    MPI_Type_vector(count, length, stride, old.type, &made.type);
    for (int i = 0; i < count; ++i) {
      made.oracle.place(old.oracle, MPI_Aint{i} * stride * old.oracle.extent(), length);
    }
    return made;
  }

  MadeType hvector(const MadeType& old) {
    MadeType made{};
    const int count = below(5);
    const int length = below(3);
    const MPI_Aint stride = between(-70, 90);
    MPI_Type_create_hvector(count, length, stride, old.type, &made.type);
    for (int i = 0; i < count; ++i) {
      made.oracle.place(old.oracle, i * stride, length);
    }
    return made;
  }

  std::vector<int> numbers(int count, int low, int high) {
    std::vector<int> result(static_cast<std::size_t>(count));
    std::generate(result.begin(), result.end(), [&] { return between(low, high); });
    return result;
  }
  std::vector<MPI_Aint> offsets(int count) {
    const std::vector<int> values = numbers(count, -100, 200);
    return {values.begin(), values.end()};
  }

  MadeType indexed(const MadeType& old) {
    MadeType made{};
    const int count = below(5);
    const std::vector<int> lengths = numbers(count, 0, 3);
    const std::vector<int> places = numbers(count, -6, 12);
    MPI_Type_indexed(count, lengths.data(), places.data(), old.type, &made.type);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      made.oracle.place(old.oracle, places[i] * old.oracle.extent(), lengths[i]);
    }
    return made;
  }

  MadeType hindexed(const MadeType& old) {
    MadeType made{};
    const int count = below(5);
    const std::vector<int> lengths = numbers(count, 0, 3);
    const std::vector<MPI_Aint> places = offsets(count);
    MPI_Type_create_hindexed(count, lengths.data(), places.data(), old.type, &made.type);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      made.oracle.place(old.oracle, places[i], lengths[i]);
    }
    return made;
  }

  MadeType indexed_block(const MadeType& old) {
    MadeType made{};
    const int count = below(6);
    const int length = below(3);
    std::vector<int> places = numbers(count, -6, 12);
    if (below(2) == 0) {  // equal distances, which the map joins
      for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = 3 * static_cast<int>(i) - 2;
      }
    }
    MPI_Type_create_indexed_block(count, length, places.data(), old.type, &made.type);
    for (const int place : places) {
      made.oracle.place(old.oracle, place * old.oracle.extent(), length);
    }
    return made;
  }

  MadeType hindexed_block(const MadeType& old) {
    MadeType made{};
    const int count = below(5);
    const int length = below(3);
    const std::vector<MPI_Aint> places = offsets(count);
    MPI_Type_create_hindexed_block(count, length, places.data(), old.type, &made.type);
    for (const MPI_Aint place : places) {
      made.oracle.place(old.oracle, place, length);
    }
    return made;
  }

  MadeType structure(const MadeType& old) {
    MadeType made{};
    const MadeType second = basic();
    const int count = below(4);
    const std::vector<int> lengths = numbers(count, 0, 3);
    const std::vector<MPI_Aint> places = offsets(count);
    std::vector<MPI_Datatype> types;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const bool basic_part = i % 2 == 1;
      types.push_back(basic_part ? second.type : old.type);
      made.oracle.place(basic_part ? second.oracle : old.oracle, places[i], lengths[i]);
    }
    MPI_Type_create_struct(count, lengths.data(), places.data(), types.data(), &made.type);
    made.oracle.pad();
    return made;
  }

  MadeType resized(const MadeType& old) {
    MadeType made{};
    const MPI_Aint lower = between(-20, 20);
    const MPI_Aint extent = between(0, 120);
    MPI_Type_create_resized(old.type, lower, extent, &made.type);
    made.oracle = old.oracle;
    made.oracle.set_bounds(lower, extent);
    return made;
  }

  MadeType subarray(const MadeType& old) {
    MadeType made{};
    const int dimensions = between(1, 3);
    const int order = below(2) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    std::vector<int> sizes = numbers(dimensions, 1, 4);
    std::vector<int> parts;
    std::vector<int> starts;
    MPI_Aint total = 1;
    for (const int size : sizes) {
      parts.push_back(between(1, size));
      starts.push_back(between(0, size - parts.back()));
      total *= size;
    }
    MPI_Type_create_subarray(dimensions, sizes.data(), parts.data(), starts.data(), order, old.type, &made.type);
    const auto owned = [&](int d, int i) {
      const auto k = static_cast<std::size_t>(d);
      return i >= starts[k] && i < starts[k] + parts[k];
    };
    for_each_owned(sizes, order, owned,
                   [&](MPI_Aint linear) { made.oracle.place(old.oracle, linear * old.oracle.extent()); });
    made.oracle.set_bounds(0, total * old.oracle.extent());
    return made;
  }

  MadeType darray(const MadeType& old) {
    MadeType made{};
    const int dimensions = between(1, 3);
    const int order = below(2) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    const std::vector<int> sizes = numbers(dimensions, 1, 6);
    std::vector<int> kinds, arguments, grid, blocks;
    int processes = 1;
    MPI_Aint total = 1;
    for (const int size : sizes) {
      const int kind = std::vector<int>{MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK,
                                        MPI_DISTRIBUTE_CYCLIC}[static_cast<std::size_t>(below(3))];
      const int places = kind == MPI_DISTRIBUTE_NONE ? 1 : between(1, 3);
      const int share = (size + places - 1) / places;
      const bool by_default = below(2) == 0;
      int block = kind == MPI_DISTRIBUTE_CYCLIC ? between(1, 3) : between(share, share + 2);
      if (by_default) {
        block = kind == MPI_DISTRIBUTE_CYCLIC ? 1 : share;
      }
      kinds.push_back(kind);
      arguments.push_back(by_default ? MPI_DISTRIBUTE_DFLT_DARG : block);
      grid.push_back(places);
      blocks.push_back(block);
      processes *= places;
      total *= size;
    }
    const int rank = below(processes);
    std::vector<int> place(grid.size());
    int rest = rank;
    for (std::size_t d = grid.size(); d-- > 0;) {
      place[d] = rest % grid[d];
      rest /= grid[d];
    }
    MPI_Type_create_darray(processes, rank, dimensions, sizes.data(), kinds.data(), arguments.data(), grid.data(),
                           order, old.type, &made.type);
    const auto owned = [&](int d, int i) {
      const auto k = static_cast<std::size_t>(d);
      return kinds[k] == MPI_DISTRIBUTE_NONE || i / blocks[k] % grid[k] == place[k];
    };
    for_each_owned(sizes, order, owned,
                   [&](MPI_Aint linear) { made.oracle.place(old.oracle, linear * old.oracle.extent()); });
    made.oracle.set_bounds(0, total * old.oracle.extent());
    return made;
  }

  std::mt19937 random_;
};

}  // namespace weft::mpi_shim
