#include "output/vti.hpp"

#include <bit>

#include "output/out_file.hpp"

namespace ondes3d {
namespace {

std::string extent(const Box& box) {
  return format("%d %d %d %d %d %d", box.lo[0], box.hi[0] - 1, box.lo[1], box.hi[1] - 1, box.lo[2], box.hi[2] - 1);
}

std::string head(const char* type) {
  const char* const order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
  return format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n", type,
      order);
}

// Attributes that an image and its index share.
std::string placed(const ImageFrame& frame) {
  return format("WholeExtent=\"%s\" Origin=\"%.17g %.17g %.17g\" Spacing=\"%.17g %.17g %.17g\"",
                extent(frame.whole).c_str(), frame.origin[0], frame.origin[1], frame.origin[2], frame.spacing[0],
                frame.spacing[1], frame.spacing[2]);
}

// The array that ParaView shows first.
std::string active(const std::vector<ImageArray>& arrays) {
  if (arrays.empty()) {
    return "";
  }
  return format(" %s=\"%s\"", arrays[0].components == 3 ? "Vectors" : "Scalars", arrays[0].name.c_str());
}

std::string described(const ImageArray& array) {
  return format("type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"", array.type.c_str(), array.name.c_str(),
                array.components);
}

}  // namespace

void write_vti(const std::string& path, const ImageFrame& frame, const Box& piece,
               const std::vector<ImageArray>& arrays) {
  OutFile file(path);
  file.write(head("ImageData"));
  file.write(format("  <ImageData %s>\n    <Piece Extent=\"%s\">\n      <PointData%s>\n", placed(frame).c_str(),
                    extent(piece).c_str(), active(arrays).c_str()));
  std::size_t offset = 0;
  for (const ImageArray& array : arrays) {
    file.write(
        format("        <DataArray %s format=\"appended\" offset=\"%zu\"/>\n", described(array).c_str(), offset));
    offset += sizeof(std::uint64_t) + array.bytes.size();
  }
  file.write("      </PointData>\n    </Piece>\n  </ImageData>\n  <AppendedData encoding=\"raw\">\n_");
  for (const ImageArray& array : arrays) {
    const std::uint64_t bytes = array.bytes.size();
    file.write(std::as_bytes(std::span(&bytes, 1)));
    file.write(array.bytes);
  }
  file.write("\n  </AppendedData>\n</VTKFile>\n");
  file.close();
}

void write_pvti(const std::string& path, const ImageFrame& frame, const std::vector<ImageArray>& arrays,
                const std::vector<std::pair<Box, std::string>>& pieces) {
  OutFile file(path);
  file.write(head("PImageData"));
  file.write(format("  <PImageData %s GhostLevel=\"0\">\n    <PPointData%s>\n", placed(frame).c_str(),
                    active(arrays).c_str()));
  for (const ImageArray& array : arrays) {
    file.write(format("      <PDataArray %s/>\n", described(array).c_str()));
  }
  file.write("    </PPointData>\n");
  for (const auto& [box, source] : pieces) {
    file.write(format("    <Piece Extent=\"%s\" Source=\"%s\"/>\n", extent(box).c_str(), source.c_str()));
  }
  file.write("  </PImageData>\n</VTKFile>\n");
  file.close();
}

void write_pvd(const std::string& path, const std::vector<std::pair<double, std::string>>& files) {
  OutFile file(path);
  file.write(head("Collection"));
  file.write("  <Collection>\n");
  for (const auto& [time, source] : files) {
    file.write(format("    <DataSet timestep=\"%.9g\" file=\"%s\"/>\n", time, source.c_str()));
  }
  file.write("  </Collection>\n</VTKFile>\n");
  file.close();
}

}  // namespace ondes3d
