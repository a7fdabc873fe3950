import type { ComponentProps } from 'react'

type Tone = 'primary' | 'plain' | 'quiet' | 'danger'

const base =
  'inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors select-none disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55'
const sizes = { normal: 'min-h-10 px-4 py-2 text-sm', small: 'min-h-8 px-2.5 py-1 text-[0.8125rem]' }
const tones: Record<Tone, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  plain: 'border border-line bg-surface text-ink shadow-card hover:bg-sunken',
  quiet: 'text-ink-soft hover:bg-sunken hover:text-ink',
  danger: 'bg-danger text-on-danger hover:bg-danger-strong'
}

interface Look {
  readonly tone?: Tone
  readonly size?: keyof typeof sizes
}

/** The classes of a button, also for links that look like one. */
export const buttonLook = ({ tone = 'plain', size = 'normal' }: Look = {}): string =>
  `${base} ${sizes[size]} ${tones[tone]}`

/** A button. While busy it ignores clicks but keeps the focus. */
export function Button({
  tone,
  size,
  isBusy = false,
  className = '',
  onClick,
  children,
  ...rest
}: ComponentProps<'button'> & Look & { readonly isBusy?: boolean }) {
  return (
    <button
      type="button"
      {...rest}
      className={`${buttonLook({ tone, size })} ${className}`}
      aria-disabled={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {isBusy && <Spinner />}
      {children}
    </button>
  )
}

/** @param props.className its size, if it is not the size of text */
export function Spinner({ className = 'size-4' }: { readonly className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={`${className} inline-block shrink-0 motion-safe:animate-spin rounded-full border-2 border-current border-r-transparent`}
    />
  )
}
