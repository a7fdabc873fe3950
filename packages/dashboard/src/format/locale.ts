/** The reader's languages, for the notation of numbers and amounts. The words of the dashboard are English. */
export const locale: readonly string[] | undefined = typeof document === 'undefined' ? ['en-US'] : navigator.languages
