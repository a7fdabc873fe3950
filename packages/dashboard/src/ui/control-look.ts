/** The look of everything that people type into or choose from. */
export const controlLook =
  'w-full rounded-lg border border-line-strong bg-surface px-3 text-ink placeholder:text-ink-soft/80 hover:border-ink-soft aria-invalid:border-danger'
