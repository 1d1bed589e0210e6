// Level 0: the performance model of HPCCloud Seer (Saad and El-Mahdy 2020, IEEE Access 8), equations (1) to (13) as
// printed. docs/prediction.md lists what the paper leaves open and what is chosen here.
//
// An application is n processes that repeat a cycle: they compute, then they send and receive once. Each node has a
// queue for its cores and one for its link; processes are the customers of this closed network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::predict {

// What the model needs from a profiled run.
struct SeerProfile {
  double processes = 1.0;      // n
  double sends = 1.0;          // s: sends of each process, at least 1; also its number of cycles
  double message_bytes = 0.0;  // m: mean length of a send
  double wait = 0.0;           // MPI_Wait: seconds of a process in MPI
  double time = 0.0;           // T_exe, seconds, > 0
};

// s(n) = C ln n + D (section III-C).
struct SendsFit {
  double c = 0.0;
  double d = 1.0;
  [[nodiscard]] double at(double processes) const;
};
// m(n) = m_a / n + m_b, bytes (section III-C).
struct MessageFit {
  double a = 0.0;
  double b = 0.0;
  [[nodiscard]] double at(double processes) const;  // not below 0
};
// Fit by least squares. If all profiles have the same n, C and m_a are 0. REQUIRES: at least one profile.
SendsFit fit_sends(std::span<const SeerProfile> profiles);
MessageFit fit_messages(std::span<const SeerProfile> profiles);

// V_comp and V_comm: parts of a cycle (after equation (10)) that compute, and that wait for messages on one node.
struct CycleParts {
  double computing = 1.0;
  double communicating = 0.0;
};
CycleParts cycle_parts(const SeerProfile& profile);

// A run to predict.
struct SeerSetting {
  std::vector<std::uint32_t> processes_on;  // n_i, by node
  std::uint32_t cores = 1;                  // c, of each node
  double speed = 1.0;                       // of a core; 1: that of the profiled machine
  double seconds_per_byte = 0.0;            // T_w of the network between nodes
};

struct SeerConstants {
  double cpu = 1.0;  // CPU_Constant = k w: seconds of computing of all processes at speed 1
  double net = 1.0;  // Net_Constant
};

// Equation (8): seconds of a visit to a node's cores.
double cpu_service(double cpu_constant, double sends, double processes, std::uint32_t cores);
// Equation (9): seconds of a visit to a node's link.
double net_service(double net_constant, double message_bytes, double seconds_per_byte);
// Equations (11) and (12).
double cpu_visits(double processes_here, double processes, const CycleParts& parts);
double net_visits(double processes_here, double processes);

class SeerModel {
 public:
  // The quality of the fit.
  struct FitReport {
    std::uint32_t iterations = 0;
    bool converged = false;
    double rms = 0.0;  // of the relative errors
    // False where no run of the fit sent between nodes: Net_Constant keeps its initial value, 1.
    bool net_determined = false;
  };
  struct Run {
    SeerProfile profile;
    SeerSetting setting;
  };

  // Fits s(n) and m(n), then CPU_Constant and Net_Constant by Gauss-Newton from (1, 1) on relative errors of T.
  // REQUIRES: at least one run.
  explicit SeerModel(std::span<const Run> runs);

  // Equation (13), T = R s(n), in seconds. NaN where s(n) is not positive, which its form allows.
  [[nodiscard]] double time(const SeerSetting& setting) const { return time(setting, constants_); }
  [[nodiscard]] const SendsFit& sends() const { return sends_; }
  [[nodiscard]] const MessageFit& messages() const { return messages_; }
  [[nodiscard]] const SeerConstants& constants() const { return constants_; }
  [[nodiscard]] const FitReport& report() const { return report_; }

 private:
  [[nodiscard]] double time(const SeerSetting& setting, const SeerConstants& constants) const;
  // Linear interpolation in ln n between the profiles; outside their range the value of the nearest profile.
  [[nodiscard]] CycleParts parts_at(double processes) const;

  std::vector<SeerProfile> profiles_;  // by rising n
  SendsFit sends_;
  MessageFit messages_;
  SeerConstants constants_;
  FitReport report_;
};

}  // namespace weft::predict
