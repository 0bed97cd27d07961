"""What `opinfo` knows of PyTorch's databases besides what they say themselves. No entry depends on a target."""

# Of listing, and which of a kind comes first.
DTYPE_ORDER = (
    "f32", "bf16", "f16", "f64", "i64", "i32", "i16", "i8", "u8", "u16", "u32", "u64", "bool",
    "c64", "c128", "c32", "f8e4m3", "f8e5m2",
)  # fmt: skip
# A function's core cases: its first sample in each of these that it has on CPU, else in its first dtype.
CORE_DTYPES = ("f32", "bf16", "i64", "bool", "c64")

# Values that the function leaves open: memory that nobody wrote.
OPEN_VALUES = frozenset((
    "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided",
    "resize_", "resize_as_",
))  # fmt: skip

# Functions whose meaning depends on the dtype: another dtype gives other right values. The reference is
# the same dtype on CPU.
SAME_DTYPE = frozenset((
    "nextafter", "nan_to_num", "frexp", "result_type", "view", "view_copy", "hash_tensor",
    "linalg.eig", "linalg.eigvals",  # eigenvalues come in no defined order, which rounding may change
))  # fmt: skip

# Their NumPy reference overflows elsewhere than PyTorch does in narrow integers.
NO_NUMPY = frozenset(("addbmm",))

# PyTorch wraps functions that draw in a fixed seed, which holds on one device only; these do not depend on
# what is drawn.
SEEDED_YET_EXACT = frozenset((
    "item", "svd_lowrank", "pca_lowrank", "nn.functional.scaled_dot_product_attention",
    "nn.functional.multi_head_attention_forward",
))  # fmt: skip

# In-place methods that exist for one dtype of result only; the others are tried in the first core dtype.
INPLACE_DTYPE = {"float_power": "f64"}

# PyTorch's tests that claim what a case checks: (class, test, of gradients).
KNOWN_TESTS = (
    ("TestCommon", "test_compare_cpu", False),
    ("TestCommon", "test_dtypes", False),
    ("TestModule", "test_forward", False),
    ("TestBwdGradients", "test_fn_grad", True),
    ("TestModule", "test_grad", True),
)
