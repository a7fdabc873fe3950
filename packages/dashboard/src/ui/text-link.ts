/** The classes of a link in text. */
export const textLink =
  'font-medium text-accent-strong underline decoration-accent/40 underline-offset-3 hover:decoration-accent'
