"""A PyTorch call and its tensors, as reproducers carry them."""

import torch
from torch.utils._pytree import tree_flatten


def tensor_on(device, values, grad, noncontiguous):
    """A copy of the tensor on a device; `noncontiguous`: with gaps between its numbers."""
    if noncontiguous and values.dim():
        spaced = values.new_zeros(tuple(values.shape[:-1]) + (2 * values.shape[-1],))
        spaced[..., ::2] = values
        made = spaced.to(device)[..., ::2]
    else:
        made = values.clone().to(device)
    return made.detach().requires_grad_(True) if grad else made


def to_numpy(tensor):
    """Its values as f64, c128, i64 or bool."""
    host = tensor.detach().resolve_conj().resolve_neg()
    if host.layout is not torch.strided:
        host = host.to_dense()
    host = host.to("cpu")
    if getattr(host, "_is_zerotensor", bool)():  # a gradient that autograd never wrote down
        host = torch.zeros(host.shape, dtype=host.dtype)
    if host.dtype == torch.bool:
        return host.numpy()
    if host.is_complex():
        return host.to(torch.complex128).numpy()
    return host.to(torch.float64 if host.is_floating_point() else torch.int64).numpy()


def tensors_of(tree):
    return [leaf for leaf in tree_flatten(tree)[0] if isinstance(leaf, torch.Tensor)]


def with_gradient(function, args, kwargs, tensors_of=tensors_of):
    """A callable that makes the call and gives (result, gradients of its differentiable inputs). Where there is no
    gradient it is None."""
    inputs = [tensor for tensor in tensors_of([args, kwargs]) if tensor.requires_grad]
    weights = []  # made by the first call, so that warm calls do not time them

    def forward_and_backward():
        result = function(*args, **kwargs)
        outputs = [tensor for tensor in tensors_of(result) if tensor.requires_grad]
        if not outputs:
            return result, [None] * len(inputs)
        if not weights:
            weights.extend(ramp(tensor) for tensor in outputs)
        found = torch.autograd.grad(outputs, inputs, grad_outputs=weights, allow_unused=True)
        return result, list(found)

    return forward_and_backward


def ramp(tensor):
    """Weights from 0.5 to 1.5 of the tensor's shape (with equal ones the gradient of softmax is zero)."""
    flat = torch.linspace(0.5, 1.5, tensor.numel(), dtype=torch.float64, device="cpu")
    return flat.reshape(tensor.shape).to(tensor.dtype).to(tensor.device)
