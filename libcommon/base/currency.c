/* The table of currencies: list one of ISO 4217 as of 2025. It has the currencies and funds with a
 * minor unit, without metals and test codes. A withdrawn currency stays, because accounts may be in
 * it. */
#include "libcommon/base/currency.h"

#include <string.h>

/* A currency of ISO 4217: pages write its sign as the reader's language does. */
#define ISO(number, code, exponent, euro_minor) { number, code, exponent, code, euro_minor },
/* A currency that no language has a sign for: pages write the one that is stated here. */
#define OWN(number, code, exponent, symbol, euro_minor)                                            \
	{ number, code, exponent, symbol, euro_minor },

/* Sorted by number, for the search. scripts/currencies.py reads these rows: number, code, digits,
 * symbol (of ours), and about how many minor units one euro is worth. */
/* clang-format off */
static const struct currency CURRENCIES[] = {
	ISO(8, "ALL", 2, 10000) ISO(12, "DZD", 2, 15000) ISO(32, "ARS", 2, 160000)
	ISO(36, "AUD", 2, 175) ISO(44, "BSD", 2, 100) ISO(48, "BHD", 3, 400)
	ISO(50, "BDT", 2, 14000) ISO(51, "AMD", 2, 45000) ISO(52, "BBD", 2, 200)
	ISO(60, "BMD", 2, 100) ISO(64, "BTN", 2, 10000) ISO(68, "BOB", 2, 800)
	ISO(72, "BWP", 2, 1500) ISO(84, "BZD", 2, 200) ISO(90, "SBD", 2, 1000)
	ISO(96, "BND", 2, 150) ISO(104, "MMK", 2, 240000) ISO(108, "BIF", 0, 3400)
	ISO(116, "KHR", 2, 460000) ISO(124, "CAD", 2, 160) ISO(132, "CVE", 2, 11000)
	ISO(136, "KYD", 2, 100) ISO(144, "LKR", 2, 35000) ISO(152, "CLP", 0, 1100)
	ISO(156, "CNY", 2, 800) ISO(170, "COP", 2, 450000) ISO(174, "KMF", 0, 500)
	ISO(188, "CRC", 2, 60000) ISO(192, "CUP", 2, 2500) ISO(203, "CZK", 2, 2500)
	ISO(208, "DKK", 2, 750) ISO(214, "DOP", 2, 7000) ISO(222, "SVC", 2, 1000)
	ISO(230, "ETB", 2, 17000) ISO(232, "ERN", 2, 1500) ISO(238, "FKP", 2, 100)
	ISO(242, "FJD", 2, 250) ISO(262, "DJF", 0, 200) ISO(270, "GMD", 2, 8000)
	ISO(292, "GIP", 2, 100) ISO(320, "GTQ", 2, 900) ISO(324, "GNF", 0, 10000)
	ISO(328, "GYD", 2, 24000) ISO(332, "HTG", 2, 15000) ISO(340, "HNL", 2, 3000)
	ISO(344, "HKD", 2, 900) ISO(348, "HUF", 2, 40000) ISO(352, "ISK", 0, 140)
	ISO(356, "INR", 2, 10000) ISO(360, "IDR", 2, 2000000) ISO(364, "IRR", 2, 100000000)
	ISO(368, "IQD", 3, 1500000) ISO(376, "ILS", 2, 400) ISO(388, "JMD", 2, 18000)
	ISO(392, "JPY", 0, 170) ISO(396, "XAD", 2, 30) ISO(398, "KZT", 2, 60000)
	ISO(400, "JOD", 3, 800) ISO(404, "KES", 2, 15000) ISO(408, "KPW", 2, 100000)
	ISO(410, "KRW", 0, 1600) ISO(414, "KWD", 3, 350) ISO(417, "KGS", 2, 10000)
	ISO(418, "LAK", 2, 2500000) ISO(422, "LBP", 2, 10000000) ISO(426, "LSL", 2, 2000)
	ISO(430, "LRD", 2, 20000) ISO(434, "LYD", 3, 6000) ISO(446, "MOP", 2, 900)
	ISO(454, "MWK", 2, 200000) ISO(458, "MYR", 2, 500) ISO(462, "MVR", 2, 1800)
	ISO(480, "MUR", 2, 5000) ISO(484, "MXN", 2, 2000) ISO(496, "MNT", 2, 400000)
	ISO(498, "MDL", 2, 2000) ISO(504, "MAD", 2, 1000) ISO(512, "OMR", 3, 450)
	ISO(516, "NAD", 2, 2000) ISO(524, "NPR", 2, 16000) ISO(532, "XCG", 2, 200)
	ISO(533, "AWG", 2, 200) ISO(548, "VUV", 0, 140) ISO(554, "NZD", 2, 200)
	ISO(558, "NIO", 2, 4000) ISO(566, "NGN", 2, 170000) ISO(578, "NOK", 2, 1000)
	ISO(586, "PKR", 2, 33000) ISO(590, "PAB", 2, 100) ISO(598, "PGK", 2, 500)
	ISO(600, "PYG", 0, 8000) ISO(604, "PEN", 2, 400) ISO(608, "PHP", 2, 6500)
	ISO(634, "QAR", 2, 400) ISO(643, "RUB", 2, 10000) ISO(646, "RWF", 0, 1700)
	ISO(654, "SHP", 2, 100) ISO(682, "SAR", 2, 400) ISO(690, "SCR", 2, 1500)
	ISO(702, "SGD", 2, 150) ISO(704, "VND", 0, 30000) ISO(706, "SOS", 2, 65000)
	ISO(710, "ZAR", 2, 2000) ISO(728, "SSP", 2, 500000) ISO(748, "SZL", 2, 2000)
	ISO(752, "SEK", 2, 1000) ISO(756, "CHF", 2, 100) ISO(760, "SYP", 2, 1500000)
	ISO(764, "THB", 2, 4000) ISO(776, "TOP", 2, 250) ISO(780, "TTD", 2, 800)
	ISO(784, "AED", 2, 400) ISO(788, "TND", 3, 3400) ISO(800, "UGX", 0, 4000)
	ISO(807, "MKD", 2, 6000) ISO(818, "EGP", 2, 5500) ISO(826, "GBP", 2, 100)
	ISO(834, "TZS", 2, 300000) ISO(840, "USD", 2, 100) ISO(858, "UYU", 2, 4500)
	ISO(860, "UZS", 2, 1400000) ISO(882, "WST", 2, 300) ISO(886, "YER", 2, 30000)
	ISO(901, "TWD", 2, 3500) ISO(924, "ZWG", 2, 3000) ISO(925, "SLE", 2, 2500)
	ISO(926, "VED", 2, 25000) ISO(927, "UYW", 4, 250000) ISO(928, "VES", 2, 25000)
	ISO(929, "MRU", 2, 4500) ISO(930, "STN", 2, 2500) ISO(933, "BYN", 2, 350)
	ISO(934, "TMT", 2, 400) ISO(936, "GHS", 2, 1200) ISO(938, "SDG", 2, 70000)
	ISO(940, "UYI", 0, 7) ISO(941, "RSD", 2, 12000) ISO(943, "MZN", 2, 7500)
	ISO(944, "AZN", 2, 200) ISO(946, "RON", 2, 500) ISO(947, "CHE", 2, 100)
	ISO(948, "CHW", 2, 100) ISO(949, "TRY", 2, 5000) ISO(950, "XAF", 0, 650)
	ISO(951, "XCD", 2, 300) ISO(952, "XOF", 0, 650) ISO(953, "XPF", 0, 120)
	ISO(967, "ZMW", 2, 2500) ISO(968, "SRD", 2, 4500) ISO(969, "MGA", 2, 500000)
	ISO(970, "COU", 2, 1200) ISO(971, "AFN", 2, 7500) ISO(972, "TJS", 2, 1000)
	ISO(973, "AOA", 2, 100000) ISO(975, "BGN", 2, 200) ISO(976, "CDF", 2, 250000)
	ISO(977, "BAM", 2, 200) ISO(978, "EUR", 2, 100) ISO(979, "MXV", 2, 250)
	ISO(980, "UAH", 2, 5000) ISO(981, "GEL", 2, 300) ISO(984, "BOV", 2, 300)
	ISO(985, "PLN", 2, 400) ISO(986, "BRL", 2, 600) ISO(990, "CLF", 4, 250)
	ISO(997, "USN", 2, 100)
	/* Carillon's own numbers */
	OWN(1001, "XBT", 8, "₿", 1000) OWN(1002, "ETH", 9, "ETH", 300000)
	OWN(1003, "LTC", 8, "LTC", 1000000) OWN(1004, "BCH", 8, "BCH", 200000)
	OWN(1005, "USDT", 6, "USDT", 1000000) OWN(1006, "USDC", 6, "USDC", 1000000)
	OWN(1007, "SOL", 9, "SOL", 6000000) OWN(1008, "XRP", 6, "XRP", 500000)
	OWN(1009, "TRX", 6, "TRX", 3500000) OWN(1010, "ADA", 6, "ADA", 2000000)
	OWN(1011, "DOGE", 8, "DOGE", 600000000)
};
/* clang-format on */

#define CURRENCIES_N (sizeof(CURRENCIES) / sizeof(CURRENCIES[0]))

const struct currency *currency_at(size_t i)
{
	return i < CURRENCIES_N ? &CURRENCIES[i] : NULL;
}

const struct currency *currency_by_number(uint32_t number)
{
	size_t low = 0;
	size_t high = CURRENCIES_N;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (CURRENCIES[middle].number == number)
			return &CURRENCIES[middle];
		if (CURRENCIES[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct currency *currency_by_code(const char *code)
{
	for (size_t i = 0; i < CURRENCIES_N; i++)
		if (strcmp(CURRENCIES[i].code, code) == 0)
			return &CURRENCIES[i];
	return NULL;
}

int64_t currency_from_cents(const struct currency *currency, int64_t euro_cents)
{
	int64_t minor;

	if (currency == NULL)
		return euro_cents;
	if (euro_cents / 100 >= MINOR_MAX / currency->euro_minor)
		return MINOR_MAX;
	minor = euro_cents / 100 * currency->euro_minor +
		euro_cents % 100 * currency->euro_minor / 100;
	return minor < 1 ? 1 : minor;
}
