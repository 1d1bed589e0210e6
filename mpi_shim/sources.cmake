# The sources of mpi_shim, each owner's lines together.
list(APPEND WEFT_MPI_SHIM_SOURCES
  # the launch, called by weftrun
  launch.cpp
  # ranks' state, errors, groups, communicators, attributes, info, topologies
  state.cpp
  state_carry.cpp
  client.cpp
  leftovers.cpp
  entry.cpp
  errhandler.cpp
  error_codes.cpp
  init.cpp
  environment.cpp
  info.cpp
  attributes.cpp
  attribute_calls.cpp
  group.cpp
  context.cpp
  communicator.cpp
  communicator_carry.cpp
  comm_registry.cpp
  gatherings.cpp
  peers.cpp
  spread_assembly.cpp
  whereabouts.cpp
  comm_access.cpp
  assembly.cpp
  comm_split.cpp
  comm_dup.cpp
  intercommunicator.cpp
  group_calls.cpp
  topology.cpp
  cart_calls.cpp
  graph_calls.cpp
  dims.cpp
  extensions.cpp
  migrate_at.cpp
  ampi/calls.cpp
  ampi/hints.cpp
  ampi/migration.cpp
  ampi/puper.cpp
  dynamic/join.cpp
  dynamic/names.cpp
  dynamic/ports.cpp
  session/process_sets.cpp
  session/session.cpp
  tool/categories.cpp
  tool/control_variables.cpp
  tool/events.cpp
  tool/performance_calls.cpp
  tool/performance_variables.cpp
  tool/tool.cpp
  # the table
  abi.cpp
  unsupported.cpp
  table/conversions.cpp
  table/removed_names.cpp
  # messages, requests and datatypes
  buffer_calls.cpp
  buffered_send.cpp
  datatype.cpp
  datatype_access.cpp
  datatype_arrays.cpp
  datatype_contents.cpp
  datatype_create.cpp
  datatype_f90.cpp
  external32/external32.cpp
  external32/pack_external.cpp
  generalized_request.cpp
  message_errors.cpp
  pack.cpp
  partitioned/calls.cpp
  partitioned/greeting.cpp
  partitioned/receive.cpp
  partitioned/send.cpp
  partitioned/transfer.cpp
  persistent.cpp
  point_to_point.cpp
  predefined_datatypes.cpp
  probe.cpp
  request.cpp
  request_carry.cpp
  request_control.cpp
  request_progress.cpp
  request_set.cpp
  request_test.cpp
  request_wait.cpp
  sendrecv.cpp
  signature.cpp
  status.cpp
  typemap.cpp
  typemap_copy.cpp
)
list(APPEND WEFT_MPI_SHIM_SOURCES
  # files
  io/access.cpp
  io/collective_calls.cpp
  io/errhandler_calls.cpp
  io/file.cpp
  io/file_calls.cpp
  io/file_map.cpp
  io/hints.cpp
  io/independent_calls.cpp
  io/open_calls.cpp
  io/pointer_calls.cpp
  io/posix_file.cpp
  io/problem.cpp
  io/representation.cpp
  io/transfer.cpp
  io/two_phase.cpp
  io/two_phase_messages.cpp
  io/view_calls.cpp
)
list(APPEND WEFT_MPI_SHIM_SOURCES
  # operations and blocking collectives
  op.cpp
  op_arithmetic.cpp
  op_calls.cpp
  op_location.cpp
  op_logical.cpp
  collective/agreement.cpp
  collective/allgather.cpp
  collective/alltoall.cpp
  collective/barrier.cpp
  collective/bcast.cpp
  collective/blocks.cpp
  collective/combiner.cpp
  collective/course.cpp
  collective/gather.cpp
  collective/neighbour.cpp
  collective/other_group.cpp
  collective/reduce.cpp
  collective/reduce_scatter.cpp
  collective/reduction.cpp
  collective/rooted.cpp
  collective/scatter.cpp
  collective/sides.cpp
  collective/spread/allgather.cpp
  collective/spread/alltoall.cpp
  collective/spread/bcast.cpp
  collective/spread/gather.cpp
  collective/spread/other_group.cpp
  collective/spread/reduce.cpp
  collective/spread/scan.cpp
  collective/spread/values.cpp
  # their non-blocking and persistent forms
  schedule/begin.cpp
  schedule/calls_all.cpp
  schedule/calls_neighbour.cpp
  schedule/calls_reduce.cpp
  schedule/calls_rooted.cpp
  schedule/carry.cpp
  schedule/recorder.cpp
  schedule/schedule.cpp
)
list(APPEND WEFT_MPI_SHIM_SOURCES
  # windows
  rma/accumulate.cpp
  rma/active_target.cpp
  rma/afar.cpp
  rma/combine.cpp
  rma/create.cpp
  rma/describe.cpp
  rma/epochs.cpp
  rma/exposure.cpp
  rma/messages.cpp
  rma/operation.cpp
  rma/passive_target.cpp
  rma/put_get.cpp
  rma/runs.cpp
  rma/serve.cpp
  rma/window.cpp
)
# Kernels are loops over plain arrays: -O2 does not vectorize those whose length is not known.
set_source_files_properties(op_arithmetic.cpp op_logical.cpp op_location.cpp PROPERTIES
  COMPILE_OPTIONS "$<$<CONFIG:Release,RelWithDebInfo>:-O3>"
  SKIP_PRECOMPILE_HEADERS ON)
