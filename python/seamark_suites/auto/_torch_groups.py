"""Groups of processes for the generated suite: of one process each, without a network."""

from seamark_suites.auto._torch_programs import batch, network, sgd


def _group(t, dtype):
    """The default group of processes: this one alone, that meets nobody over a network."""
    distributed = t.get("torch.distributed")
    if not distributed.is_initialized():
        distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    return distributed.group.WORLD


def _remote(t, dtype):
    """This process alone, able to call itself as a remote one: its name is "self"."""
    import os

    rpc = t.get("torch.distributed.rpc")
    if not t.get("torch.distributed.rpc.api")._is_current_rpc_agent_set():
        meeting = "file://" + os.path.join(t.tmpdir(), "meeting")
        options = rpc.TensorPipeRpcBackendOptions(num_worker_threads=2, init_method=meeting)
        rpc.init_rpc("self", rank=0, world_size=1, rpc_backend_options=options)
    return rpc.get_worker_info()


def _remote_module(t, dtype):
    _remote(t, dtype)
    linear = t.get("torch.nn.Linear")
    return t.get("torch.distributed.nn.RemoteModule")("self/cpu", linear, (5, 3))


def _reference_to_remote(t, dtype):
    _remote(t, dtype)
    return t.get("torch.distributed.rpc.RRef")(batch(t, dtype))


def _bucket(t, dtype):
    """What DistributedDataParallel hands to a hook: gradients that are reduced together."""
    seen = []

    def hook(state, bucket):
        seen.append(bucket)
        future = t.get("torch.futures.Future")()
        future.set_result(bucket.buffer())
        return future

    model = _parallel(t, dtype)
    model.register_comm_hook(None, hook)
    model(batch(t, dtype)).sum().backward()
    return seen[0]


def _zero_optimizer(t, dtype):
    _group(t, dtype)
    parameter = t.get("torch.nn.Parameter")(batch(t, dtype))
    parameter.grad = t.randn((4, 5), dtype)
    sgd = t.get("torch.optim.SGD")
    return t.get("torch.distributed.optim.ZeroRedundancyOptimizer")([parameter], sgd, lr=0.1)


def _averager(t, dtype):
    _group(t, dtype)
    name = "torch.distributed.algorithms.model_averaging.averagers.PeriodicModelAverager"
    return t.get(name)(1)


def _local_sgd(t, dtype):
    made = t.get("torch.distributed.optim.PostLocalSGDOptimizer")
    return made(sgd(t, dtype), _averager(t, dtype))


def _pipe(t, dtype):
    """A network of one stage."""
    _group(t, dtype)
    return t.get("torch.distributed.pipelining.pipeline")(network(t, dtype), (batch(t, dtype),))


def _stage(t, dtype):
    device = t.get("torch.device")("cpu")
    return _pipe(t, dtype).build_stage(0, device, _group(t, dtype))


def _distributed_optimizer(t, dtype):
    _remote(t, dtype)
    parameter = t.get("torch.distributed.rpc.RRef")(t.get("torch.nn.Parameter")(batch(t, dtype)))
    sgd = t.get("torch.optim.SGD")
    return t.get("torch.distributed.optim.DistributedOptimizer")(sgd, [parameter], lr=0.1)


def _mesh(t, dtype):
    _group(t, dtype)
    return t.get("torch.distributed.device_mesh.init_device_mesh")("cpu", (1,))


def _dtensor(t, dtype):
    tensor = t.get("torch.distributed.tensor")
    return tensor.distribute_tensor(batch(t, dtype), _mesh(t, dtype), [tensor.Replicate()])


def _store(t, dtype):
    made = t.get("torch.distributed.HashStore")()
    made.set("key", "1")
    return made


def _sharded(t, dtype):
    _group(t, dtype)
    return t.get("torch.distributed.fsdp.fully_shard")(network(t, dtype), mesh=_mesh(t, dtype))


def _parallel(t, dtype):
    _group(t, dtype)
    return t.get("torch.nn.parallel.DistributedDataParallel")(network(t, dtype))


def _checkpoint(t, dtype):
    """A folder that holds a saved state."""
    import os

    path = os.path.join(t.tmpdir(), "checkpoint")
    t.get("torch.distributed.checkpoint.save")(
        {"weight": batch(t, dtype)}, checkpoint_id=path, no_dist=True
    )
    return path


def _checkpoint_metadata(t, dtype):
    reader = t.get("torch.distributed.checkpoint.FileSystemReader")(_checkpoint(t, dtype))
    return reader.read_metadata()


def _save_planner(t, dtype):
    made = t.get("torch.distributed.checkpoint.DefaultSavePlanner")()
    made.set_up_planner({"weight": batch(t, dtype)}, None, True)
    return made


def _save_plan(t, dtype):
    return _save_planner(t, dtype).create_local_plan()


def _load_planner(t, dtype):
    made = t.get("torch.distributed.checkpoint.DefaultLoadPlanner")()
    made.set_up_planner({"weight": batch(t, dtype)}, _checkpoint_metadata(t, dtype), True)
    return made


def _load_plan(t, dtype):
    return _load_planner(t, dtype).create_local_plan()


def _second(t, dtype):
    import datetime

    return datetime.timedelta(seconds=1)


def _work(t, dtype):
    """A sum over the group that is done."""
    made = _group(t, dtype).allreduce([batch(t, dtype)])
    made.wait()
    return made


def _gloo(t, dtype):
    """A group of this process alone, as the class that does the work."""
    distributed = t.get("torch.distributed")
    return distributed.ProcessGroupGloo(distributed.HashStore(), 0, 1, _second(t, dtype))


VALUES = {
    "second": _second,
    "gloo": _gloo,
    "work": _work,
    "group": _group,
    "bucket": _bucket,
    "zero_optimizer": _zero_optimizer,
    "averager": _averager,
    "local_sgd": _local_sgd,
    "pipe": _pipe,
    "stage": _stage,
    "distributed_optimizer": _distributed_optimizer,
    "remote": _remote,
    "remote_module": _remote_module,
    "rref": _reference_to_remote,
    "mesh": _mesh,
    "dtensor": _dtensor,
    "store": _store,
    "sharded": _sharded,
    "parallel": _parallel,
    "checkpoint": _checkpoint,
    "checkpoint_metadata": _checkpoint_metadata,
    "save_planner": _save_planner,
    "save_plan": _save_plan,
    "load_planner": _load_planner,
    "load_plan": _load_plan,
}
