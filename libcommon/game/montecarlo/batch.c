/* Finds the paid spins of a batch that need a closer look. In most spins no line is alive after the
 * first reels and nothing counts; two small tables show this. */
#include "libcommon/game/montecarlo/internal.h"

/* `pair`: a constant of each caller. Copies the table's values first, because the compiler must
 * assume that stores to the batch may change the table. */
static inline void scan_of(const struct spin_table *table, struct batch *restrict batch,
	uint32_t words, const bool pair)
{
	const uint32_t prefixes = table->prefixes, suffixes = table->suffixes;
	const uint32_t reject = (uint32_t)table->reject, reject_prefix = table->reject_prefix;
	const uint16_t *const prefix = table->prefix;
	const uint8_t *const suffix = table->suffix;
	const uint32_t *const mask = table->quiet_mask;
	uint32_t spins = 0, listed = 0;

	for (uint32_t i = 0; i < words; i++) {
		uint64_t first = (uint64_t)batch->word[i] * prefixes;
		uint32_t rest = pair ? batch->other[i] : (uint32_t)first;
		uint64_t other = (uint64_t)rest * suffixes;
		uint32_t class = prefix[first >> 32];

		batch->place[listed] = i << 16 | spins;
		batch->fraction[listed] = rest;
		batch->class[listed] = class;
		if ((uint32_t)other >= reject && (!pair || (uint32_t)first >= reject_prefix)) {
			spins++;
			listed += mask[class < QUIET_CLASSES ? class : QUIET_CLASSES] >>
					  suffix[other >> 32] &
				  1;
		}
	}
	batch->count = spins;
	batch->listed = listed;
}

void batch_scan(const struct spin_table *table, struct batch *batch, uint32_t words)
{
	if (table->pair)
		scan_of(table, batch, words, true);
	else
		scan_of(table, batch, words, false);
}

#if defined(__x86_64__)
#include <immintrin.h>

#define WITH_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

/* High and low halves of sixteen products. */
WITH_AVX512 static inline __m512i product_high(__m512i a, __m512i factor, __m512i *low_r)
{
	__m512i even = _mm512_mul_epu32(a, factor);
	__m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), factor);

	*low_r = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
	return _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd);
}

WITH_AVX512 void batch_scan_avx512(
	const struct spin_table *table, struct batch *batch, uint32_t words)
{
	const __m512i prefixes = _mm512_set1_epi32((int)table->prefixes);
	const __m512i suffixes = _mm512_set1_epi32((int)table->suffixes);
	const __m512i reject = _mm512_set1_epi32((int)(uint32_t)table->reject);
	const __m512i iota =
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	const __m512i reject_prefix = _mm512_set1_epi32((int)table->reject_prefix);
	const __m512i quiet_low = _mm512_loadu_si512(&table->quiet_mask[0]);
	const __m512i quiet_high = _mm512_loadu_si512(&table->quiet_mask[16]);
	uint32_t spins = 0, listed = 0;

	for (uint32_t i = 0; i < words; i += 16) {
		__mmask16 inside = (__mmask16)(0xffffu >> (words - i < 16 ? 16 - (words - i) : 0));
		__m512i word = _mm512_loadu_si512(&batch->word[i]), low, rest;
		__m512i first = product_high(word, prefixes, &low);
		__m512i fraction = table->pair ? _mm512_loadu_si512(&batch->other[i]) : low;
		__m512i other = product_high(fraction, suffixes, &rest);
		__m512i class = _mm512_and_si512(
			_mm512_i32gather_epi32(first, table->prefix, 2), _mm512_set1_epi32(0xffff));
		__m512i suffix = _mm512_and_si512(
			_mm512_i32gather_epi32(other, table->suffix, 1), _mm512_set1_epi32(0xff));
		__m512i mask = _mm512_permutex2var_epi32(quiet_low, class, quiet_high);
		__mmask16 taken = _mm512_mask_cmpge_epu32_mask(
			_mm512_mask_cmpge_epu32_mask(inside, rest, reject), low, reject_prefix);
		__mmask16 loud = _mm512_cmpge_epu32_mask(class, _mm512_set1_epi32(QUIET_CLASSES));
		__mmask16 look =
			taken & (loud | _mm512_test_epi32_mask(_mm512_srlv_epi32(mask, suffix),
						_mm512_set1_epi32(1)));
		__m512i number = _mm512_add_epi32(
			_mm512_maskz_expand_epi32(taken, iota), _mm512_set1_epi32((int)spins));
		__m512i place = _mm512_or_si512(number,
			_mm512_slli_epi32(_mm512_add_epi32(iota, _mm512_set1_epi32((int)i)), 16));

		/* packs in a register first, because a packing store is many times slower */
		_mm512_storeu_si512(
			&batch->place[listed], _mm512_maskz_compress_epi32(look, place));
		_mm512_storeu_si512(
			&batch->fraction[listed], _mm512_maskz_compress_epi32(look, fraction));
		_mm512_storeu_si512(
			&batch->class[listed], _mm512_maskz_compress_epi32(look, class));
		listed += (uint32_t)__builtin_popcount(look);
		spins += (uint32_t)__builtin_popcount(taken);
	}
	batch->count = spins;
	batch->listed = listed;
}

bool fast_has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

#else

void batch_scan_avx512(const struct spin_table *table, struct batch *batch, uint32_t words)
{
	batch_scan(table, batch, words);
}

bool fast_has_avx512(void)
{
	return false;
}

#endif
