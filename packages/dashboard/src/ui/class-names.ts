/** The classes of a link in text. */
export const textLink =
  'font-medium text-accent-strong underline decoration-accent/40 underline-offset-3 hover:decoration-accent'

/** The look of everything that people type into or choose from. */
export const controlLook =
  'w-full rounded-lg border border-line-strong bg-surface px-3 text-ink placeholder:text-ink-soft/80 hover:border-ink-soft aria-invalid:border-danger'

/** The classes of a dialog of the browser itself, which needs no code to be loaded. */
export const nativeDialogLook =
  'm-auto w-[calc(100%-1.5rem)] max-w-md rounded-2xl border border-line bg-surface p-5 text-ink shadow-popup outline-none backdrop:bg-[oklch(0.15_0.02_230/0.5)] sm:p-6'
