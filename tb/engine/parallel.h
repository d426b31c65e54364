// Vectors, lanes and memories of the parallel simulation; see parallel.py. VECTOR is the size of a vector in bytes,
// Lane an integer with a bit for each node.

#define NOINLINE __attribute__((noinline))
#define INLINE __attribute__((always_inline)) static inline

typedef uint64_t Word;
typedef Word Vector __attribute__((vector_size(VECTOR)));
typedef Lane Alias __attribute__((may_alias));

struct Context;

INLINE bool any(Word value) { return value != 0; }

INLINE bool any(const Vector &value)
{
#if defined __AVX512F__ && VECTOR == 64
    return _mm512_test_epi64_mask((__m512i)value, (__m512i)value) != 0;
#else
    Word all = 0;
    for (unsigned i = 0; i < sizeof value / sizeof(Word); i++) all |= value[i];
    return all != 0;
#endif
}

// The bits of one unit in a vector of several.
INLINE Word lane(const Vector &value, unsigned place) { return ((const Alias *)&value)[place]; }
INLINE void put(Vector &value, unsigned place, Word bits) { ((Alias *)&value)[place] = (Lane)bits; }

// The bit of every node to its neighbour in dimension J.
template <unsigned J> INLINE Word swap(Word value)
{
    constexpr Word low[] = {0x5555555555555555u, 0x3333333333333333u, 0x0F0F0F0F0F0F0F0Fu,
                            0x00FF00FF00FF00FFu, 0x0000FFFF0000FFFFu, 0x00000000FFFFFFFFu};
    return (value & low[J]) << (1 << J) | (value >> (1 << J) & low[J]);
}

// A word of a memory, at addresses that may differ in every bit of the vectors: of all entries that are addressed by
// anyone. Entries that nobody addresses cost nothing; beyond the last one 0 is read and nothing is written.
template <unsigned BITS, unsigned DEPTH, class V> struct Entries {
    unsigned count = 0;
    unsigned entry[1 << BITS];
    V chosen[1 << BITS];

    template <unsigned LEFT> INLINE void find(Entries &e, V these, unsigned base, const V *address)
    {
        if (!any(these)) return;
        if constexpr (LEFT == 0) {
            if (base >= DEPTH) return;
            e.entry[e.count] = base;
            e.chosen[e.count++] = these;
        } else {
            e.template branch<LEFT - 1>(these & ~address[LEFT - 1], base, address);
            e.template branch<LEFT - 1>(these & address[LEFT - 1], base | 1u << (LEFT - 1), address);
        }
    }

    template <unsigned LEFT> NOINLINE void branch(V these, unsigned base, const V *address)
    {
        find<LEFT>(*this, these, base, address);
    }
};

template <unsigned BITS, class V, unsigned DEPTH, unsigned WIDTH>
NOINLINE void read(const V (&memory)[DEPTH][WIDTH], const V *address, V *data)
{
    Entries<BITS, DEPTH, V> e;
    e.template branch<BITS>(~(V){}, 0, address);
    for (unsigned bit = 0; bit < WIDTH; bit++) {
        V word = {};
        for (unsigned i = 0; i < e.count; i++) word |= memory[e.entry[i]][bit] & e.chosen[i];
        data[bit] = word;
    }
}

template <unsigned BITS, class V, unsigned DEPTH, unsigned WIDTH>
NOINLINE void write(V (&memory)[DEPTH][WIDTH], V enable, const V *address, const V *data)
{
    Entries<BITS, DEPTH, V> e;
    e.template branch<BITS>(enable, 0, address);
    for (unsigned i = 0; i < e.count; i++)
        for (unsigned bit = 0; bit < WIDTH; bit++) {
            V &word = memory[e.entry[i]][bit];
            word = (word & ~e.chosen[i]) | (data[bit] & e.chosen[i]);
        }
}
