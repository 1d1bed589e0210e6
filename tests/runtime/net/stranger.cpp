// stranger PROCESS: attacks every TCP port that the process listens on. Sends random bytes, opens connections that
// send nothing, and sends libfabric messages, among them forged ones from processes 0 and 1.
#include <netinet/in.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "tests/runtime/net/fabric_stranger.hpp"

namespace {

namespace fs = std::filesystem;
using namespace weft::net;
using namespace weft::net::test;

// Inodes of the process's open sockets.
std::set<std::string> socket_inodes(const fs::path& process) {
  std::set<std::string> inodes;
  for (const auto& file : fs::directory_iterator(process / "fd")) {
    std::error_code gone;
    const std::string target = fs::read_symlink(file.path(), gone).string();
    if (target.starts_with("socket:[")) {
      inodes.insert(target.substr(8, target.size() - 9));
    }
  }
  return inodes;
}

// The IPv4 addresses on which the process listens. Each line of /proc/PROCESS/net/tcp has a local address, state and
// inode.
std::vector<sockaddr_in> listeners(const fs::path& process) {
  const std::set<std::string> mine = socket_inodes(process);
  std::vector<sockaddr_in> found;
  std::ifstream table(process / "net/tcp");
  std::string line;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >> timeout >> inode;
    if (state != "0A" || !mine.contains(inode)) {
      continue;
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = static_cast<in_addr_t>(std::strtoul(local.substr(0, 8).c_str(), nullptr, 16));
    address.sin_port = htons(static_cast<std::uint16_t>(std::strtoul(local.substr(9).c_str(), nullptr, 16)));
    found.push_back(address);
  }
  return found;
}

void attack(const sockaddr_in& port) {
  const std::string name(reinterpret_cast<const char*>(&port), sizeof port);
  const std::string victim = FabricAddress{"tcp;ofi_rxm", false, 0, name}.bytes();
  std::mt19937_64 random(4711);
  for (std::size_t turn = 0; turn < 50; ++turn) {
    send_random_bytes(victim, random, turn % 10 == 0 ? 100'000 : 1 + turn);
  }
  const HalfOpen silent(victim, 20);
  Stranger stranger(victim);
  for (const std::uint32_t from : {0U, 1U, 99U}) {
    for (std::uint64_t sequence = 0; sequence < 10; ++sequence) {
      stranger.send(FabricHead{from, FabricKind::message, sequence, 0}, 200);
    }
  }
  std::fprintf(stderr, "attacked port %d\n", ntohs(port.sin_port));
}

}  // namespace

int main(int, char** arguments) {
  const std::vector<sockaddr_in> ports = listeners(fs::path("/proc") / arguments[1]);
  for (const sockaddr_in& port : ports) {
    attack(port);
  }
  return ports.empty() || testing::Test::HasFailure() ? 1 : 0;
}
