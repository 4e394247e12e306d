/* The second place of the signed heads (WALLET_HEADS_COPY): a folder that the database's owner and
 * whoever may write the first one cannot write. Each file of heads, and the public keys, are copied
 * there byte by byte, and only ever added to: the copy never holds what the first does not, unless
 * somebody took it away there. A copy that cannot be written raises an alarm and is caught up on
 * later; it stops nothing. */
#ifndef CARILLON_WALLET_ADAPTERS_HEADS_COPY_H
#define CARILLON_WALLET_ADAPTERS_HEADS_COPY_H

/* Names the folders and the file of this instance; an empty `copy` means that there is no copy.
 * Opens nothing yet. */
void heads_copy_start(const char *folder, const char *copy, const char *instance);
/* After heads were written: copies what the copy lacks. */
void heads_copy_due(void);

#endif
