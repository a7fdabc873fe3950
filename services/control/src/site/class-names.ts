/** Classes of Tailwind that several pages use. The build of the stylesheet reads the files of this folder. */

/** The width of every page. */
export const container = 'mx-auto w-full max-w-6xl px-5'

const button =
  'inline-flex min-h-10 items-center justify-center rounded-lg px-4 py-2 text-sm font-medium whitespace-nowrap transition-colors'
export const primaryButton = `${button} bg-accent text-on-accent hover:bg-accent-strong`
export const plainButton = `${button} border border-line bg-surface text-ink shadow-card hover:bg-sunken`

export const card = 'rounded-2xl border border-line bg-surface shadow-card'
export const textLink = 'font-medium text-accent underline-offset-4 hover:underline'
export const sectionTitle = 'text-2xl font-semibold tracking-tight'
export const badge = 'rounded-md px-1.5 py-0.5 font-sans text-xs font-medium whitespace-nowrap'

/** Cells of tables. Numbers are right-aligned in figures of one width. */
export const headCell = 'px-3 py-2.5 text-left text-[0.8125rem] font-medium text-ink-soft'
export const cell = 'px-3 py-2.5 align-top'
export const denseCell = 'px-3 py-2 align-top'
/** Cells of rows that begin with a link to press: see `.row-link` in site.css. */
export const rowCell = 'px-2 py-2 align-baseline sm:px-3'
export const rowHead = 'relative py-1 pr-2 pl-5 align-baseline sm:pr-3'
export const lastCell = 'pr-5 sm:pr-5'
export const numberCell = 'text-right tabular-nums whitespace-nowrap'

/** The choices of a group of radio buttons that look like one switch. */
export const segment =
  'relative cursor-pointer rounded-md px-3 py-1.5 text-[0.8125rem] font-medium text-ink-soft select-none has-[:checked]:bg-raised has-[:checked]:text-ink has-[:checked]:shadow-card has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-offset-2 has-[:focus-visible]:outline-accent'
export const segments = 'inline-flex rounded-lg bg-sunken p-0.5'
