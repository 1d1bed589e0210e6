/* Pup functions: one function lists the parts of an object, and is called to count, to pack and to unpack them. These
 * are the C names that AMPI programs use. See AMPI_Register_pup in weft_ampi.h for when such functions run. */
#ifndef WEFT_PUP_C_H
#define WEFT_PUP_C_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* Opaque; in C++ a PUP::er* of pup.h. */
typedef void* pup_er;

#ifdef __GNUC__
__extension__ typedef long long weft_int8; /* which C90 does not have */
#else
typedef long long weft_int8;
#endif

/* What the call is for: 1 or 0. A packing of a rank that leaves is deleting too: then the function also frees what it
 * has packed, and allocates it again when it unpacks. */
int pup_isSizing(const pup_er p);
int pup_isPacking(const pup_er p);
int pup_isUnpacking(const pup_er p);
int pup_isDeleting(const pup_er p);
int pup_isUserlevel(const pup_er p);  /* 1: the function is the program's, not the compiler's */
int pup_isMigration(const pup_er p);  /* 1 while a rank moves */
int pup_isCheckpoint(const pup_er p); /* 0: a checkpoint holds the memory as it is */

/* Bytes so far. */
size_t pup_size(const pup_er p);

/* One value; nItems of them in a row. */
void pup_char(pup_er p, char* v);
void pup_chars(pup_er p, char* arr, size_t nItems);
void pup_uchar(pup_er p, unsigned char* v);
void pup_uchars(pup_er p, unsigned char* arr, size_t nItems);
void pup_short(pup_er p, short* v);
void pup_shorts(pup_er p, short* arr, size_t nItems);
void pup_ushort(pup_er p, unsigned short* v);
void pup_ushorts(pup_er p, unsigned short* arr, size_t nItems);
void pup_int(pup_er p, int* v);
void pup_ints(pup_er p, int* arr, size_t nItems);
void pup_uint(pup_er p, unsigned int* v);
void pup_uints(pup_er p, unsigned int* arr, size_t nItems);
void pup_long(pup_er p, long* v);
void pup_longs(pup_er p, long* arr, size_t nItems);
void pup_ulong(pup_er p, unsigned long* v);
void pup_ulongs(pup_er p, unsigned long* arr, size_t nItems);
void pup_int8(pup_er p, weft_int8* v); /* eight bytes */
void pup_int8s(pup_er p, weft_int8* arr, size_t nItems);
void pup_size_t(pup_er p, size_t* v);
void pup_size_ts(pup_er p, size_t* arr, size_t nItems);
void pup_float(pup_er p, float* v);
void pup_floats(pup_er p, float* arr, size_t nItems);
void pup_double(pup_er p, double* v);
void pup_doubles(pup_er p, double* arr, size_t nItems);
void pup_pointer(pup_er p, void** v); /* as it is: into the rank's own memory it means the same after a move */
void pup_pointers(pup_er p, void** arr, size_t nItems);
void pup_bytes(pup_er p, void* ptr, size_t nBytes);

/* For a program's own use: counting; packing to, unpacking from a buffer of pup_size() bytes. */
pup_er pup_new_sizer(void);
pup_er pup_new_toMem(void* buffer);
pup_er pup_new_fromMem(const void* buffer);
void pup_destroy(pup_er p);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
