/* The one function that Rust's standard library asks of bcryptprimitives.dll, which Wine before 8.5 lacks: random bytes, of
 * which its hash maps are seeded and on which no result depends. */
#include <stddef.h>

/* RtlGenRandom, of advapi32 */
unsigned char __stdcall SystemFunction036(void *bytes, unsigned long length);

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, size_t length)
{
    return SystemFunction036(bytes, (unsigned long)length);
}
