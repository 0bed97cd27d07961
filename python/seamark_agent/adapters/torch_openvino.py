"""PyTorch compiled by OpenVINO. What OpenVINO does not take it leaves to PyTorch without a word."""

import contextlib
from unittest import mock

from seamark_agent.adapters import torch_compile


class TargetAdapter(torch_compile.TargetAdapter):
    backend = "openvino"

    def backend_options(self):
        return {
            "testing": True,  # else PyTorch runs what is a single operation
            "aot_autograd": True,  # gradients, and convolutions
            "config": {
                "INFERENCE_PRECISION_HINT": "f32",  # else bf16 where the CPU has it
                "INFERENCE_NUM_THREADS": self.threads,
                "PERF_COUNT": "YES",  # a request then says which nodes it executed
            },
        }

    def import_framework(self):
        version = super().import_framework()
        import openvino
        from openvino.frontend.pytorch.torchdynamo import backend, execute

        self._backend, self._execute = backend, execute
        return "%s (openvino %s)" % (version, openvino.__version__.split("-")[0])

    def clear_caches(self):
        self._execute.clear_caches()
        self._execute.req_cache.clear()
        return super().clear_caches()

    @contextlib.contextmanager
    def prove(self):
        self.clear_caches()  # what is there afterwards is of this call
        inductor = mock.patch.object(self._backend, "compile_fx", wraps=self._backend.compile_fx)
        with super().prove() as proof, inductor as taken_over:
            proof.method = "openvino-profile"
            yield proof
        if taken_over.called:
            proof.doubt("Inductor compiled a graph in OpenVINO's place")
        for call in taken_over.call_args_list:
            proof.fallback_ops += operators(call.args[0])
        executed = []
        for graph in self._execute.partitioned_modules.values():
            proof.fallback_ops += operators(graph)  # what is in no part of OpenVINO's
            for part in graph.children():
                if getattr(part, "perm_fallback", False):
                    proof.doubt("OpenVINO raised, and PyTorch ran a part")
                    proof.fallback_ops += operators(part.gm)
        for request in self._execute.req_cache.values():
            executed += [node.node_type for node in request.profiling_info if ran(node)]
        proof.on_device = len(executed)
        if "RandomUniform" in executed:  # a draw that PyTorch's generator does not show
            proof.work = True


def operators(module):
    """The names of the operators that a graph calls; Python's own functions (getitem) compute nothing."""
    targets = [node.target for node in module.graph.nodes if node.op == "call_function"]
    return [target.name() for target in targets if hasattr(target, "name")]


def ran(node):
    return node.status.name == "EXECUTED"
