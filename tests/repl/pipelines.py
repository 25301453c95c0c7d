"""A pipeline over two meshes, by any schedule, for the tests of what is told of one."""

PIPELINE = """mesh a = [x: 2] on 0:2
mesh b = [y: 3] on 2:5
let t = random(f32[7, 4, 6] on a, 1)
let w = random(f32[6, 8@x] on a, 2)
let v = random(f32[8@y, 6] on b, 4)
SHOWN pipeline p = zeros(f32[6, 8@x] on a), q = zeros(f32[8@y, 6] on b) for i < 7 by "SCHEDULE" {
  let h = relu(t[i] @ w)
  let hb = h as [4, 8@y] on b
  let dy = hb @ v
  let dh = dy @ transpose(v) as [4, 8@x] on a
  (p + transpose(t[i]) @ where(h > 0.0, dh, 0.0), q + transpose(hb) @ dy)
}
"""
SCHEDULES = ["gpipe", "gpipe+late", "1f1b", "1f1b+late", "eager-1f1b", "eager-1f1b+late", "auto"]


def pipeline(schedule, shown="let (p, q) ="):
    return PIPELINE.replace("SCHEDULE", schedule).replace("SHOWN", shown)
