/** The calendar month of a time (UTC), as the number yyyymm. */
export const monthNumber = (now: Date): number => now.getUTCFullYear() * 100 + now.getUTCMonth() + 1
