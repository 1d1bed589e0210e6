# The sources of mpi_shim, each owner's lines together.
list(APPEND WEFT_MPI_SHIM_SOURCES
  # the launch, called by weftrun
  launch.cpp
  # ranks' state, errors, groups, communicators, attributes, info, topologies
  state.cpp
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
  comm_access.cpp
  assembly.cpp
  comm_split.cpp
  comm_dup.cpp
  intercommunicator.cpp
  group_calls.cpp
  # the table
  unsupported.cpp
  table/conversions.cpp
  table/narrow.cpp
  table/removed_names.cpp
  # messages, requests and datatypes
  buffered_send.cpp
  datatype.cpp
  message_errors.cpp
  point_to_point.cpp
  predefined_datatypes.cpp
  probe.cpp
  request.cpp
  request_progress.cpp
  request_set.cpp
  request_test.cpp
  request_wait.cpp
  signature.cpp
  typemap.cpp
  typemap_copy.cpp
)
