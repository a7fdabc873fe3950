import type { ReactNode } from 'react'

const looks = {
  neutral: 'bg-sunken text-ink-soft',
  accent: 'bg-accent-soft text-accent-strong',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger-strong'
} as const

interface BadgeProps {
  readonly tone?: keyof typeof looks
  /** For a text that may be longer than its column is wide. */
  readonly mayWrap?: boolean
  readonly children: ReactNode
}

export function Badge({ tone = 'neutral', mayWrap = false, children }: BadgeProps) {
  return (
    <span
      className={`inline-flex items-center rounded-md px-2 py-0.5 text-xs font-medium ${mayWrap ? '' : 'whitespace-nowrap'} ${looks[tone]}`}
    >
      {children}
    </span>
  )
}
