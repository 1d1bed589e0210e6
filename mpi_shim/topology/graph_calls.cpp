// MPI_Graph_create, MPI_Dist_graph_create and the other calls on graph topologies.
#include <algorithm>
#include <bit>
#include <climits>

#include "mpi_shim/comm/assembly.hpp"
#include "mpi_shim/comm/assembly_by_messages.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/topology/comm_topology.hpp"

namespace {

using namespace weft::mpi_shim;
namespace runtime = weft::runtime;

// MPI_SUCCESS when the arguments describe a graph on the communicator's ranks, else the raised error.
int check_graph(const Entry& entry, const Communicator& parent, int nnodes, const int* index, const int* edges) {
  const MPI_Comm comm = parent.handle;
  if (nnodes < 0 || nnodes > parent.size()) {
    return entry.raise(comm, MPI_ERR_ARG, "nnodes is {}, the communicator has {} ranks", nnodes, parent.size());
  }
  if (nnodes > 0 && index == nullptr) {
    return entry.null_argument(comm, "index");
  }
  for (int node = 0, before = 0; node < nnodes; before = index[node++]) {
    if (index[node] < before) {
      return entry.raise(comm, MPI_ERR_ARG, "index[{}] is {}, the one before is {}", node, index[node], before);
    }
    if (edges == nullptr && index[node] > before) {
      return entry.null_argument(comm, "edges");
    }
    for (int e = before; e < index[node]; ++e) {
      if (edges[e] < 0 || edges[e] >= nnodes) {
        return entry.raise(comm, MPI_ERR_ARG, "edges[{}] is {}, the graph has nodes 0..{}", e, edges[e], nnodes - 1);
      }
    }
  }
  return MPI_SUCCESS;
}

std::shared_ptr<Topology> graph_of(int nnodes, const int* index, const int* edges) {
  auto graph = std::make_shared<Topology>();
  graph->kind = MPI_GRAPH;
  graph->index.assign(index, index + nnodes);
  graph->edges.assign(edges, edges + (nnodes == 0 ? 0 : index[nnodes - 1]));
  return graph;
}

// A communicator that must have a topology of one kind.
struct Graph {
  Graph(const Entry& entry, MPI_Comm handle, int kind) : comm(find_comm(entry.me, handle)) {
    if (comm == nullptr) {
      error = entry.bad_comm(handle);
    } else if (topology = topology_of(*comm, kind); topology == nullptr) {
      error = entry.raise(handle, MPI_ERR_TOPOLOGY, "comm has no {} topology",
                          kind == MPI_GRAPH ? "graph" : "distributed graph");
    }
  }
  bool usable() const { return topology != nullptr; }

  const Communicator* comm;
  std::shared_ptr<const Topology> topology;
  int error = MPI_SUCCESS;
};

void copy_front(const std::vector<int>& from, int limit, int* to) {
  std::copy_n(from.begin(), std::min(from.size(), static_cast<std::size_t>(std::max(limit, 0))), to);
}

// The weights that were passed to a call; 1 for every edge if that was MPI_WEIGHTS_EMPTY or a null pointer.
std::vector<int> weights_of(const int* weights, int count) {
  if (weights == MPI_WEIGHTS_EMPTY || weights == nullptr) {
    return std::vector<int>(static_cast<std::size_t>(count), 1);
  }
  return {weights, weights + count};
}

// MPI_SUCCESS when all neighbours are ranks of the communicator, else the raised error.
int check_neighbours(const Entry& entry, const Communicator& parent, const int* ranks, int count, const char* name) {
  const MPI_Comm comm = parent.handle;
  const int size = parent.size();
  if (count < 0 || (count > 0 && ranks == nullptr)) {
    return entry.raise(comm, MPI_ERR_ARG, "the number of {} is {} or they are a null pointer", name, count);
  }
  for (int i = 0; i < count; ++i) {
    if (ranks[i] < 0 || ranks[i] >= size) {
      return entry.raise(comm, MPI_ERR_RANK, "{}[{}] is {}, the communicator has ranks 0..{}", name, i, ranks[i],
                         size - 1);
    }
  }
  return MPI_SUCCESS;
}

MPI_Comm make_dist_graph(RankState& me, Communicator& parent, std::shared_ptr<const Neighbourhood> mine) {
  auto topology = std::make_shared<Topology>();
  topology->kind = MPI_DIST_GRAPH;
  const MPI_Comm made = make_with_topology(me, parent, 0, parent.shared->group, std::move(topology));
  find_comm(me, made)->neighbourhood = std::move(mine);
  return made;
}

// The edges that one rank passed to MPI_Dist_graph_create.
struct EdgeArguments {
  int count;
  const int* sources;
  const int* degrees;
  const int* destinations;
  const int* weights;  // meaningless when the graph is unweighted
  bool weighted;
};

void add_edge(std::vector<std::shared_ptr<Neighbourhood>>& nodes, int from, int to, const int* weight) {
  Neighbourhood& source = *nodes[static_cast<std::size_t>(from)];
  Neighbourhood& destination = *nodes[static_cast<std::size_t>(to)];
  source.destinations.push_back(to);
  destination.sources.push_back(from);
  if (weight != nullptr) {
    source.destination_weights.push_back(*weight);
    destination.source_weights.push_back(*weight);
  }
}

// Gives every rank the edges that start or end at it, ordered by the rank that passed them.
void distribute(runtime::Job& /*job*/, Side& side, Side* /*remote*/) {
  std::vector<std::shared_ptr<Neighbourhood>> nodes(static_cast<std::size_t>(side.size()));
  for (auto& node : nodes) {
    node = std::make_shared<Neighbourhood>();
  }
  for (int member = 0; member < side.size(); ++member) {
    const EdgeArguments& given = *std::bit_cast<const EdgeArguments*>(side.contribution(member));
    nodes[static_cast<std::size_t>(member)]->weighted = given.weighted;
    int edge = 0;
    for (int i = 0; i < given.count; ++i) {
      for (int k = 0; k < given.degrees[i]; ++k, ++edge) {
        add_edge(nodes, given.sources[i], given.destinations[edge], given.weighted ? given.weights + edge : nullptr);
      }
    }
  }
  for (int member = 0; member < side.size(); ++member) {
    side.set_result(member, nodes[static_cast<std::size_t>(member)]);
  }
}

// Adds an edge (source, destination, weight) that starts or ends at `rank`.
void add_incident_edge(Neighbourhood& mine, int rank, std::span<const int> edge) {
  if (edge[0] == rank) {
    mine.destinations.push_back(edge[1]);
    mine.destination_weights.push_back(edge[2]);
  }
  if (edge[1] == rank) {
    mine.sources.push_back(edge[0]);
    mine.source_weights.push_back(edge[2]);
  }
}

// distribute() for a job of several processes: every member gathers all edges and keeps those that start or end at it.
std::shared_ptr<const Neighbourhood> distribute_by_messages(RankState& me, const Communicator& comm,
                                                            const EdgeArguments& given) {
  std::vector<int> rows;
  int edge = 0;
  for (int i = 0; i < given.count; ++i) {
    for (int k = 0; k < given.degrees[i]; ++k, ++edge) {
      rows.insert(rows.end(), {given.sources[i], given.destinations[edge], given.weighted ? given.weights[edge] : 1});
    }
  }
  const Assembled all = assemble_by_messages(me, comm, rows, [](const Assembled&) { return 0U; });
  auto mine = std::make_shared<Neighbourhood>();
  mine->weighted = given.weighted;
  for (int member = 0; member < comm.size(); ++member) {
    const std::span<const int> named = all.sides[0].of(member);
    for (std::size_t e = 0; e < named.size(); e += 3) {
      add_incident_edge(*mine, comm.rank, named.subspan(e, 3));
    }
  }
  return mine;
}

int topo_test(const Entry&, Communicator& comm, int* status) {
  *status = comm.shared->topology == nullptr ? int{MPI_UNDEFINED} : comm.shared->topology->kind;
  return MPI_SUCCESS;
}

int graph_create(const Entry& entry, Communicator& parent, int nnodes, const int indx[], const int edges[],
                 int /*reorder*/, MPI_Comm* comm_graph) {
  if (parent.is_inter()) {
    return entry.raise(parent.handle, MPI_ERR_COMM, "comm_old is an intercommunicator");
  }
  if (const int error = check_graph(entry, parent, nnodes, indx, edges); error != MPI_SUCCESS) {
    return error;
  }
  *comm_graph = make_with_topology(entry.me, parent, 0, first_members(parent.shared->group, nnodes),
                                   graph_of(nnodes, indx, edges));
  return MPI_SUCCESS;
}

int graph_map(const Entry& entry, Communicator& comm, int nnodes, const int indx[], const int edges[], int* newrank) {
  if (const int error = check_graph(entry, comm, nnodes, indx, edges); error != MPI_SUCCESS) {
    return error;
  }
  *newrank = comm.rank < nnodes ? comm.rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int graphdims_get(const Entry& entry, MPI_Comm comm, int* nnodes, int* nedges) {
  const Graph graph(entry, comm, MPI_GRAPH);
  if (!graph.usable()) {
    return graph.error;
  }
  *nnodes = static_cast<int>(graph.topology->index.size());
  *nedges = static_cast<int>(graph.topology->edges.size());
  return MPI_SUCCESS;
}

int graph_get(const Entry& entry, MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[]) {
  const Graph graph(entry, comm, MPI_GRAPH);
  if (!graph.usable()) {
    return graph.error;
  }
  copy_front(graph.topology->index, maxindex, indx);
  copy_front(graph.topology->edges, maxedges, edges);
  return MPI_SUCCESS;
}

int graph_neighbors_count(const Entry& entry, MPI_Comm comm, int rank, int* nneighbors) {
  const Graph graph(entry, comm, MPI_GRAPH);
  if (!graph.usable()) {
    return graph.error;
  }
  if (rank < 0 || rank >= graph.comm->size()) {
    return entry.raise(comm, MPI_ERR_RANK, "rank {} is not in the graph (0..{})", rank, graph.comm->size() - 1);
  }
  *nneighbors = static_cast<int>(graph_neighbours(*graph.topology, rank).size());
  return MPI_SUCCESS;
}

int graph_neighbors(const Entry& entry, MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) {
  const Graph graph(entry, comm, MPI_GRAPH);
  if (!graph.usable()) {
    return graph.error;
  }
  if (rank < 0 || rank >= graph.comm->size()) {
    return entry.raise(comm, MPI_ERR_RANK, "rank {} is not in the graph (0..{})", rank, graph.comm->size() - 1);
  }
  const auto found = graph_neighbours(*graph.topology, rank);
  std::copy_n(found.begin(), std::min(found.size(), static_cast<std::size_t>(std::max(maxneighbors, 0))), neighbors);
  return MPI_SUCCESS;
}

int dist_graph_create_adjacent(const Entry& entry, Communicator& parent, int indegree, const int sources[],
                               const int sourceweights[], int outdegree, const int destinations[],
                               const int destweights[], MPI_Info /*info*/, int /*reorder*/, MPI_Comm* comm_dist_graph) {
  if (parent.is_inter()) {
    return entry.raise(parent.handle, MPI_ERR_COMM, "comm_old is an intercommunicator");
  }
  if (const int error = check_neighbours(entry, parent, sources, indegree, "sources"); error != MPI_SUCCESS) {
    return error;
  }
  if (const int error = check_neighbours(entry, parent, destinations, outdegree, "destinations");
      error != MPI_SUCCESS) {
    return error;
  }
  auto mine = std::make_shared<Neighbourhood>();
  mine->sources.assign(sources, sources + indegree);
  mine->destinations.assign(destinations, destinations + outdegree);
  mine->weighted = sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED;
  if (mine->weighted) {
    mine->source_weights = weights_of(sourceweights, indegree);
    mine->destination_weights = weights_of(destweights, outdegree);
  }
  *comm_dist_graph = make_dist_graph(entry.me, parent, std::move(mine));
  return MPI_SUCCESS;
}

int dist_graph_create(const Entry& entry, Communicator& parent, int n, const int sources[], const int degrees[],
                      const int destinations[], const int weights[], MPI_Info /*info*/, int /*reorder*/,
                      MPI_Comm* comm_dist_graph) {
  if (parent.is_inter()) {
    return entry.raise(parent.handle, MPI_ERR_COMM, "comm_old is an intercommunicator");
  }
  if (const int error = check_neighbours(entry, parent, sources, n, "sources"); error != MPI_SUCCESS) {
    return error;
  }
  if (n > 0 && degrees == nullptr) {
    return entry.null_argument(parent.handle, "degrees");
  }
  int edges = 0;
  for (int i = 0; i < n; ++i) {
    if (degrees[i] < 0 || degrees[i] > INT_MAX - edges) {
      return entry.raise(parent.handle, MPI_ERR_ARG, "degrees[{}] is {}, which is negative or too large for an int sum",
                         i, degrees[i]);
    }
    edges += degrees[i];
  }
  if (const int error = check_neighbours(entry, parent, destinations, edges, "destinations"); error != MPI_SUCCESS) {
    return error;
  }
  const std::vector<int> given = weights_of(weights == MPI_UNWEIGHTED ? nullptr : weights, edges);
  const EdgeArguments mine{n, sources, degrees, destinations, given.data(), weights != MPI_UNWEIGHTED};
  auto neighbourhood =
      entry.me.rank->job.spans_processes()
          ? distribute_by_messages(entry.me, parent, mine)
          : assemble_shared<Neighbourhood>(entry.me, parent, std::bit_cast<std::uint64_t>(&mine), &distribute);
  *comm_dist_graph = make_dist_graph(entry.me, parent, std::move(neighbourhood));
  return MPI_SUCCESS;
}

int dist_graph_neighbors_count(const Entry& entry, MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  const Graph graph(entry, comm, MPI_DIST_GRAPH);
  if (!graph.usable()) {
    return graph.error;
  }
  const Neighbourhood& mine = *graph.comm->neighbourhood;
  *indegree = static_cast<int>(mine.sources.size());
  *outdegree = static_cast<int>(mine.destinations.size());
  *weighted = static_cast<int>(mine.weighted);
  return MPI_SUCCESS;
}

int dist_graph_neighbors(const Entry& entry, MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                         int maxoutdegree, int destinations[], int destweights[]) {
  const Graph graph(entry, comm, MPI_DIST_GRAPH);
  if (!graph.usable()) {
    return graph.error;
  }
  const Neighbourhood& mine = *graph.comm->neighbourhood;
  copy_front(mine.sources, maxindegree, sources);
  copy_front(mine.destinations, maxoutdegree, destinations);
  if (mine.weighted && sourceweights != MPI_UNWEIGHTED) {
    copy_front(mine.source_weights, maxindegree, sourceweights);
  }
  if (mine.weighted && destweights != MPI_UNWEIGHTED) {
    copy_front(mine.destination_weights, maxoutdegree, destweights);
  }
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/topology/graph_calls.inc"
