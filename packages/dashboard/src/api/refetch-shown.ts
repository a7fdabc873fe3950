const shown: { refetch: () => void } = { refetch: () => {} }

/** @param refetch fetches the data on the page again. The sign-in pages have none. */
export function onRefetchShown(refetch: () => void): void {
  shown.refetch = refetch
}

/** Fetches the data on the page again. Forms call this without the library that caches the data. */
export const refetchShown = (): void => shown.refetch()
