/** The calendar month, UTC, that a moment is in, as the number yyyymm. */
export const monthNumber = (now: Date): number => now.getUTCFullYear() * 100 + now.getUTCMonth() + 1
