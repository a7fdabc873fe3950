import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

const looks = {
  info: { icon: Info, look: 'border-line bg-sunken', color: 'text-ink-soft' },
  success: { icon: CircleCheck, look: 'border-accent/30 bg-accent-soft', color: 'text-accent' },
  warning: { icon: TriangleAlert, look: 'border-warning/35 bg-warning-soft', color: 'text-warning' },
  danger: { icon: CircleAlert, look: 'border-danger/35 bg-danger-soft', color: 'text-danger' }
} as const

interface BannerProps {
  readonly tone?: keyof typeof looks
  readonly title?: string
  readonly children?: ReactNode
  /** Announces the banner to screen readers. For banners that appear while the page is open. */
  readonly isAnnounced?: boolean
}

export function Banner({ tone = 'info', title, children, isAnnounced = false }: BannerProps) {
  const { icon: Icon, look, color } = looks[tone]
  const role = !isAnnounced ? undefined : tone === 'danger' ? 'alert' : 'status'
  return (
    <div role={role} className={`flex gap-3 rounded-xl border px-4 py-3 text-sm ${look}`}>
      <Icon aria-hidden="true" className={`mt-0.5 size-4 shrink-0 ${color}`} />
      <div className="min-w-0 flex-1 space-y-1">
        {title !== undefined && <p className="font-medium">{title}</p>}
        {children !== undefined && <div className="break-words">{children}</div>}
      </div>
    </div>
  )
}
