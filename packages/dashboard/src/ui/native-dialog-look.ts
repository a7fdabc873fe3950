/** The classes of a dialog of the browser itself, which needs no code to be loaded. */
export const nativeDialogLook =
  'm-auto w-[calc(100%-1.5rem)] max-w-md rounded-2xl border border-line bg-surface p-5 text-ink shadow-popup outline-none backdrop:bg-[oklch(0.15_0.02_230/0.5)] sm:p-6'
