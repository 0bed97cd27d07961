"""Images."""

from seamark_suites.case import case

from . import reference as right
from .reference import with_gradient


def _refuses(t, name, *args, **kwargs):
    """Bad arguments raise; that a compiler lacks the operation is another failure, passed on."""
    error = t.raises((t.fw.errors.OpError, ValueError, TypeError), t.call, name, *args, **kwargs)
    if "unsupported operations" in str(error):
        raise error


@case(
    "tf.image.adjust_brightness",
    dtypes="f32 f16 bf16 f64",
    delta=[0.3, -0.5],
    core="f32 f16",
    reference=right.brighter,
)
def adjust_brightness(t, dtype, delta):
    return t.call("tf.image.adjust_brightness", t.uniform((4, 5, 3), dtype), delta)


@case(
    "tf.image.adjust_brightness",
    dtypes="u16",
    delta=[0.3, -0.4],
    core=False,
    reference=right.brighter_whole(65535),
)
@case(
    "tf.image.adjust_brightness",
    dtypes="u8",
    delta=[0.3, -0.4],
    reference=right.brighter_whole(255),
)
def adjust_brightness_integer(t, dtype, delta):
    """Scaled to floats, moved, and saturated on the way back."""
    return t.call(
        "tf.image.adjust_brightness",
        t.randint((2, 6, 7, 3), dtype, 0, 250 if dtype == "u8" else 65000),
        delta,
    )


@case(
    "tf.image.adjust_brightness", dtypes="f32", grad=True, reference=with_gradient(right.brighter)
)
def adjust_brightness_gradient(t, dtype):
    return t.call("tf.image.adjust_brightness", t.uniform((4, 5, 3), dtype), 0.2)


@case("tf.image.adjust_brightness", dtypes="f32", core=False, reference=right.brighter)
def adjust_brightness_batch(t, dtype):
    return t.call(
        "tf.image.adjust_brightness", t.uniform((8, 64, 64, 3), dtype), t.const(0.1, "f32")
    )


@case(
    "tf.image.adjust_brightness",
    dtypes="u8",
    trivial=True,
    core=False,
    reference=right.brighter_whole(255),
)
def adjust_brightness_empty(t, dtype):
    result = t.call("tf.image.adjust_brightness", t.randint((0, 6, 7, 3), dtype, 0, 9), 0.1)
    t.expect(tuple(result.shape) == (0, 6, 7, 3), "an empty batch")
    return result


def _boxes(t):
    return t.const(
        [
            [[0.1, 0.2, 0.7, 0.9], [0.3, 0.3, 0.8, 0.6]],
            [[0.0, 0.0, 1.0, 1.0], [0.5, 0.1, 0.9, 0.4]],
        ],
        "f32",
    )


def _outline(np, images, boxes, colors=None, **_):
    """One pixel wide, later boxes over earlier ones, colors taken in turn."""
    images = images.copy()
    height, width = images.shape[1:3]
    for image, found in zip(images, boxes):
        scaled = (found.astype(np.float32) * np.float32([height - 1, width - 1] * 2)).astype(int)
        for index, (y0, x0, y1, x1) in enumerate(scaled):
            color = colors[index % len(colors)]
            image[y0, x0 : x1 + 1] = image[y1, x0 : x1 + 1] = color
            image[y0 : y1 + 1, x0] = image[y0 : y1 + 1, x1] = color
    return images


@case("tf.image.draw_bounding_boxes", dtypes="f32 f16", core="f32", reference=_outline)
def draw_bounding_boxes(t, dtype):
    images = t.uniform((2, 21, 31, 3), dtype)
    boxes = _boxes(t)
    return t.call(
        "tf.image.draw_bounding_boxes",
        images,
        boxes,
        t.const([[1.0, 0.0, 0.5], [0.25, 1.0, 0.0]], "f32"),
    )


@case("tf.image.draw_bounding_boxes", dtypes="f32", reference=_outline)
def draw_bounding_boxes_gray(t, dtype):
    images, boxes, color = t.uniform((2, 9, 12, 1), dtype), _boxes(t), t.const([[0.75]], "f32")
    return t.call("tf.image.draw_bounding_boxes", images, boxes, color)


@case(
    "tf.image.draw_bounding_boxes",
    dtypes="f32",
    core=False,
    reference=lambda np, images, boxes, colors: images,
)
def draw_no_bounding_boxes(t, dtype):
    images, boxes = t.uniform((2, 9, 12, 3), dtype), t.const(t.np.zeros((2, 0, 4)), "f32")
    return t.call("tf.image.draw_bounding_boxes", images, boxes, t.const([[1.0, 0.0, 0.5]], "f32"))


@case("tf.image.draw_bounding_boxes", dtypes="f32", reference="none", core=False)
def draw_bounding_boxes_wrong_shape(t, dtype):
    images, boxes = t.uniform((2, 9, 12, 3), dtype), t.const([[[0.1, 0.2, 0.3]]] * 2, "f32")
    _refuses(t, "tf.image.draw_bounding_boxes", images, boxes, t.const([[1.0, 0.0, 0.5]], "f32"))
