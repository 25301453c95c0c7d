// Private to the emitter of C: what is the same in every file. The file's own tables stand between: tiles, pieces,
// moves and stages.
//
// Example: f32[4]{+x} -> f32[4@x] on two devices is one stage of two moves, {0, 0, 2, [0,2)} and {1, 2, 2, [2,4)}: each
// device combines two pieces of its half, from device 0 and from device 1. One of them comes as a message, so it waits
// in memory aside until both are there.
#pragma once

#include <string_view>

namespace tessera::interop {

inline constexpr std::string_view kCHeaders[] = {"limits", "math", "mpi", "stdio", "stdlib", "string"};

inline constexpr std::string_view kCTypes = R"(
/* [begin, end) of every dimension. */
typedef struct { long at[RANK][2]; } box;
/* Where a box is read: in a device's tile of the array before, or in what has come to its tile of the array after. */
typedef struct { int device, of_after; } piece;
/* One piece is copied to the target's tile of the array after; several are combined in this order. */
typedef struct { int target, first, count; box where; } move;
/* Moves that are all read before anything is written; `aside`: into memory of their own first. */
typedef struct { int phase, first, count, aside; } stage;

)";

inline constexpr std::string_view kCReshard = R"(
static size_t elements(const box *b) {
  size_t count = 1;
  for (int d = 0; d < RANK; ++d) count *= (size_t)(b->at[d][1] - b->at[d][0]);
  return count;
}

/* The place of a box's row in a tile, in elements: row r of the box, whose rows lie along the last dimension. */
static size_t row_at(const box *tile, const box *b, size_t r) {
  size_t place = 0, stride = 1, index[RANK] = {0};
  for (int d = RANK - 2; d >= 0; --d) {
    const size_t extent = (size_t)(b->at[d][1] - b->at[d][0]);
    index[d] = r % extent;
    r /= extent;
  }
  for (int d = RANK - 1; d >= 0; --d) {
    place += stride * ((size_t)(b->at[d][0] - tile->at[d][0]) + index[d]);
    stride *= (size_t)(tile->at[d][1] - tile->at[d][0]);
  }
  return place;
}

static size_t row_length(const box *b) { return (size_t)(b->at[RANK - 1][1] - b->at[RANK - 1][0]); }

/* A box of a tile as a type of MPI's. */
static int part_type(const box *tile, const box *b, MPI_Datatype *type) {
  int sizes[RANK], lengths[RANK], starts[RANK];
  for (int d = 0; d < RANK; ++d) {
    sizes[d] = (int)(tile->at[d][1] - tile->at[d][0]);
    lengths[d] = (int)(b->at[d][1] - b->at[d][0]);
    starts[d] = (int)(b->at[d][0] - tile->at[d][0]);
  }
  return MPI_Type_create_subarray(RANK, sizes, lengths, starts, MPI_ORDER_C, ELEMENT, type);
}

/* All that goes to, or comes from, one other rank in a stage. */
typedef struct { int count, room; MPI_Datatype *types; MPI_Aint *places; } parcel;

static int add_part(parcel *to, const void *memory, MPI_Datatype type) {
  if (to->count == to->room) {
    const int room = to->room == 0 ? 4 : 2 * to->room;
    MPI_Datatype *types = realloc(to->types, (size_t)room * sizeof *types);
    if (types != NULL) to->types = types;
    MPI_Aint *places = realloc(to->places, (size_t)room * sizeof *places);
    if (places != NULL) to->places = places;
    if (types == NULL || places == NULL) return MPI_ERR_NO_MEM;
    to->room = room;
  }
  to->types[to->count] = type;
  return MPI_Get_address(memory, &to->places[to->count++]);
}

static int close_parcel(parcel *of, MPI_Datatype *type, int *count) {
  int error = MPI_SUCCESS;
  *type = ELEMENT;
  *count = 0;
  if (of->count > 0) {
    int *ones = malloc((size_t)of->count * sizeof *ones);
    if (ones == NULL) return MPI_ERR_NO_MEM;
    for (int i = 0; i < of->count; ++i) ones[i] = 1;
    error = MPI_Type_create_struct(of->count, ones, of->places, of->types, type);
    if (error == MPI_SUCCESS) error = MPI_Type_commit(type);
    if (error == MPI_SUCCESS) *count = 1;
    for (int i = 0; i < of->count; ++i) MPI_Type_free(&of->types[i]);
    free(ones);
  }
  free(of->types);
  free(of->places);
  of->types = NULL;
  of->places = NULL;
  return error;
}

/* Is a move's message received in memory aside, and then combined or copied? */
static int waits(const stage *s, const move *m) { return s->aside || m->count > 1; }

static size_t aside_elements(const stage *s, int rank) {
  size_t count = 0;
  for (int i = 0; i < s->count; ++i) {
    const move *m = &moves[s->first + i];
    if (m->target != rank || !waits(s, m)) continue;
    for (int p = 0; p < m->count; ++p) count += pieces[m->first + p].device == rank ? 0 : elements(&m->where);
  }
  return count;
}

typedef struct { const box *before_box, *after_box; const element *before; element *after, *aside; int rank; } tiles_here;

static int collect(const stage *s, const tiles_here *here, parcel *out, parcel *in) {
  int error = MPI_SUCCESS;
  size_t next = 0;
  for (int i = 0; i < s->count && error == MPI_SUCCESS; ++i) {
    const move *m = &moves[s->first + i];
    for (int p = 0; p < m->count && error == MPI_SUCCESS; ++p) {
      const piece *from = &pieces[m->first + p];
      MPI_Datatype type;
      if (from->device == m->target) continue;
      if (from->device == here->rank) {
        error = part_type(from->of_after ? here->after_box : here->before_box, &m->where, &type);
        if (error == MPI_SUCCESS)
          error = add_part(&out[m->target], from->of_after ? (const void *)here->after : (const void *)here->before, type);
      } else if (m->target == here->rank && waits(s, m)) {
        error = part_type(&m->where, &m->where, &type);
        if (error == MPI_SUCCESS) error = add_part(&in[from->device], here->aside + next, type);
        next += elements(&m->where);
      } else if (m->target == here->rank) {
        error = part_type(here->after_box, &m->where, &type);
        if (error == MPI_SUCCESS) error = add_part(&in[from->device], here->after, type);
      }
    }
  }
  return error;
}

/* What this rank holds itself, and what came aside, goes to its place. */
static void put(const stage *s, const tiles_here *here) {
  size_t next = 0;
  for (int i = 0; i < s->count; ++i) {
    const move *m = &moves[s->first + i];
    if (m->target != here->rank) continue;
    const size_t length = row_length(&m->where), size = elements(&m->where), begin = next;
    for (int p = 0; p < m->count; ++p)
      next += waits(s, m) && pieces[m->first + p].device != here->rank ? size : 0;
    if (!waits(s, m) && pieces[m->first].device != here->rank) continue;
    for (size_t r = 0; length > 0 && r < size / length; ++r) {
      element *to = here->after + row_at(here->after_box, &m->where, r);
      for (size_t e = 0; e < length; ++e) {
        element value = 0;
        size_t came = begin;
        for (int p = 0; p < m->count; ++p) {
          const piece *from = &pieces[m->first + p];
          element one;
          if (from->device != here->rank) {
            one = here->aside[came + r * length + e];
            came += size;
          } else if (from->of_after) {
            one = to[e];
          } else {
            one = here->before[row_at(here->before_box, &m->where, r) + e];
          }
          value = p == 0 ? one : COMBINE(value, one);
        }
        to[e] = value;
      }
    }
  }
}

static int run_stage(MPI_Comm comm, int size, const stage *s, tiles_here *here) {
  int error = MPI_SUCCESS;
  const size_t ranks = (size_t)size;
  parcel *parcels = calloc(2 * ranks, sizeof *parcels);
  int *counts = calloc(3 * ranks, sizeof *counts);
  MPI_Datatype *types = malloc(2 * ranks * sizeof *types);
  here->aside = malloc((aside_elements(s, here->rank) + 1) * sizeof(element));
  if (parcels == NULL || counts == NULL || types == NULL || here->aside == NULL) error = MPI_ERR_NO_MEM;
  if (error == MPI_SUCCESS) error = collect(s, here, parcels, parcels + size);
  for (int i = 0; i < 2 * size && error == MPI_SUCCESS; ++i) error = close_parcel(&parcels[i], &types[i], &counts[i]);
  if (error == MPI_SUCCESS)
    error = MPI_Alltoallw(MPI_BOTTOM, counts, counts + 2 * size, types, MPI_BOTTOM, counts + size, counts + 2 * size,
                          types + size, comm);
  for (int i = 0; i < 2 * size && counts != NULL && types != NULL; ++i) {
    if (counts[i] > 0) MPI_Type_free(&types[i]);
  }
  if (error == MPI_SUCCESS && here->rank < DEVICES) put(s, here);
  free(here->aside);
  free(types);
  free(counts);
  free(parcels);
  return error;
}

int tessera_devices(void) { return DEVICES; }

size_t tessera_source_bytes(int rank) { return rank < DEVICES ? elements(&tiles[0][rank]) * sizeof(element) : 0; }

size_t tessera_target_bytes(int rank) { return rank < DEVICES ? elements(&tiles[PHASES][rank]) * sizeof(element) : 0; }

/* On all ranks of a communicator of DEVICES or more; rank r is device r. NULL where an end has no tile on the rank. */
int tessera_reshard(MPI_Comm comm, const void *source, void *target) {
  static const box nothing;
  int rank, size, error = MPI_Comm_rank(comm, &rank);
  const element *before = source;
  if (error == MPI_SUCCESS) error = MPI_Comm_size(comm, &size);
  if (error != MPI_SUCCESS) return error;
  if (size < DEVICES) return MPI_ERR_COMM;
  if (PHASES == 0 && rank < DEVICES && tessera_source_bytes(rank) > 0) memcpy(target, source, tessera_source_bytes(rank));
  const stage *next = stages;
  for (int p = 0; p < PHASES && error == MPI_SUCCESS; ++p) {
    const box *before_box = rank < DEVICES ? &tiles[p][rank] : &nothing;
    const box *after_box = rank < DEVICES ? &tiles[p + 1][rank] : &nothing;
    element *after = p + 1 == PHASES ? target : malloc((elements(after_box) + 1) * sizeof(element));
    if (after == NULL && elements(after_box) > 0) error = MPI_ERR_NO_MEM;
    for (size_t e = 0; fills[p] && error == MPI_SUCCESS && e < elements(after_box); ++e) after[e] = (element)IDENTITY;
    tiles_here here = {before_box, after_box, before, after, NULL, rank};
    for (; next->phase == p; ++next) {
      if (error == MPI_SUCCESS) error = run_stage(comm, size, next, &here);
    }
    if (p > 0) free((void *)(size_t)before);
    before = after;
    if (error != MPI_SUCCESS && p + 1 < PHASES) free(after);
  }
  return error;
}
)";

inline constexpr std::string_view kCTest = R"(
/* Element `index` of the array, as the source's part `part` has it. */
static element part_of(size_t index, int part) {
  const long number = (long)(index % NUMBERS);
  return (element)(SOURCE_PARTS == 1 ? number : PART((number * 3 + part * 7) % 13));
}

static element whole(size_t index) {
  element value = part_of(index, 0);
  for (int part = 1; part < SOURCE_PARTS; ++part) value = COMBINE(value, part_of(index, part));
  return value;
}

/* The number of an element of a tile in the whole array. */
static size_t index_of(const box *tile, size_t e) {
  size_t place = 0, stride = 1;
  for (int d = RANK - 1; d >= 0; --d) {
    const size_t extent = (size_t)(tile->at[d][1] - tile->at[d][0]);
    place += stride * ((size_t)tile->at[d][0] + e % extent);
    e /= extent;
    stride *= (size_t)extents[d];
  }
  return place;
}

/* Does no device before this one hold the same part of the same box? */
static int is_first(int device) {
  for (int other = 0; other < device; ++other) {
    if (target_part[other] == target_part[device] && memcmp(&tiles[PHASES][other], &tiles[PHASES][device], sizeof(box)) == 0)
      return 0;
  }
  return 1;
}

/* What the parts that are left pending add up to, at every element. */
static long wrong_parts(const element *target, int rank, size_t total) {
  element *mine = malloc((total + 1) * sizeof *mine), *all = malloc((total + 1) * sizeof *all);
  long wrong = 0;
  if (mine == NULL || all == NULL) return -1;
  for (size_t i = 0; i < total; ++i) mine[i] = (element)IDENTITY;
  for (size_t e = 0; rank < DEVICES && is_first(rank) && e < elements(&tiles[PHASES][rank]); ++e)
    mine[index_of(&tiles[PHASES][rank], e)] = target[e];
  MPI_Reduce(mine, all, (int)total, ELEMENT, REDUCE, 0, MPI_COMM_WORLD);
  for (size_t i = 0; rank == 0 && i < total; ++i) wrong += all[i] != whole(i);
  free(mine);
  free(all);
  return wrong;
}

int main(int argc, char **argv) {
  int rank;
  long counts[2] = {0, 0}, sums[2] = {0, 0};
  size_t total = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int d = 0; d < RANK; ++d) total *= (size_t)extents[d];
  element *source = malloc(tessera_source_bytes(rank) + 1), *target = malloc(tessera_target_bytes(rank) + 1);
  if (source == NULL || target == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  memset(target, 0x5a, tessera_target_bytes(rank));
  for (size_t e = 0; e < tessera_source_bytes(rank) / sizeof(element); ++e)
    source[e] = part_of(index_of(&tiles[0][rank], e), source_part[rank]);
  const int error = tessera_reshard(MPI_COMM_WORLD, tessera_source_bytes(rank) > 0 ? source : NULL,
                                    tessera_target_bytes(rank) > 0 ? target : NULL);
  if (error != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 3);
  if (TARGET_PARTS > 1) {
    counts[0] = wrong_parts(target, rank, total);
    counts[1] = rank == 0 ? (long)total : 0;
  } else {
    for (size_t e = 0; e < tessera_target_bytes(rank) / sizeof(element); ++e, ++counts[1])
      counts[0] += target[e] != whole(index_of(&tiles[PHASES][rank], e));
  }
  MPI_Allreduce(counts, sums, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("wrong: %ld of %ld\n", sums[0], sums[1]);
  free(source);
  free(target);
  MPI_Finalize();
  return sums[0] == 0 ? 0 : 1;
}
)";

}  // namespace tessera::interop
