import type { ReactNode } from 'react'

const looks = {
  neutral: 'bg-sunken text-ink-soft',
  accent: 'bg-accent-soft text-accent-strong',
  warning: 'bg-warning-soft text-warning',
  danger: 'bg-danger-soft text-danger-strong'
} as const

export function Badge({ tone = 'neutral', children }: { tone?: keyof typeof looks; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center rounded-md px-2 py-0.5 text-xs font-medium whitespace-nowrap ${looks[tone]}`}
    >
      {children}
    </span>
  )
}
