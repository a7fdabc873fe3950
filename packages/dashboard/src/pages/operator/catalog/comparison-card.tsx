import type { CatalogChange } from '@tollgate/contracts/http/admin/catalog.ts'
import { useEffect, useRef } from 'react'
import { countOf } from '../../../format/number.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { type Comparison, groupChanges, summarize } from './comparison.ts'

interface ComparisonCardProps {
  readonly comparison: Comparison
  readonly onApply: () => void
}

/** What a new catalog would change for whom. It takes the focus when it appears. */
export function ComparisonCard({ comparison: { of, difference }, onApply }: ComparisonCardProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { problems, warnings, changes } = difference
  const counts = { changes: changes.length, problems: problems.length, warnings: warnings.length }
  return (
    <section className="rounded-2xl border border-line bg-surface shadow-card">
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3 px-5 pt-5">
        <div className="min-w-0">
          <h2 ref={heading} tabIndex={-1} className="font-semibold tracking-tight outline-none">
            {'version' in of ? `What version ${of.version} changes` : 'What changes'}
          </h2>
          <p className="mt-1 text-sm text-ink-soft">{summarize(counts)}</p>
        </div>
        {problems.length === 0 && changes.length > 0 && (
          <Button tone="primary" onClick={onApply}>
            {'version' in of ? `Apply version ${of.version} again` : 'Apply this catalog'}
          </Button>
        )}
      </header>
      <div className="space-y-5 p-5">
        <Notes tone="danger" title="Correct these problems first" notes={problems} />
        <Notes tone="warning" title="Read before you apply it" notes={warnings} />
        {groupChanges(changes).map((group) => (
          <div key={group.title}>
            <h3 className="text-sm font-semibold">{group.title}</h3>
            <ul aria-label={group.title} className="mt-2 divide-y divide-line border-y border-line">
              {group.changes.map((change) => (
                <Change key={`${change.path} ${change.meaning}`} change={change} />
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  )
}

interface NotesProps {
  readonly tone: 'danger' | 'warning'
  readonly title: string
  readonly notes: readonly string[]
}

function Notes({ tone, title, notes }: NotesProps) {
  if (notes.length === 0) return null
  return (
    <Banner tone={tone} title={title}>
      <ul className="list-disc space-y-1 pl-4 break-words">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Banner>
  )
}

const kinds = {
  added: ['accent', 'Added'],
  removed: ['danger', 'Removed'],
  changed: ['neutral', 'Changed']
} as const

function Change({ change: { path, kind, from, to, meaning, accounts } }: { readonly change: CatalogChange }) {
  const [tone, text] = kinds[kind]
  return (
    <li className="grid grid-cols-1 gap-x-6 gap-y-1 py-3 text-sm md:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <p className="font-medium break-words">{meaning}</p>
        <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-ink-soft">
          <Badge tone={tone}>{text}</Badge>
          <code className="min-w-0 font-mono break-all">{path}</code>
        </p>
        {kind === 'changed' && (
          <p className="mt-1 text-[0.8125rem] break-words text-ink-soft">
            from <code className="font-mono text-ink">{from}</code> to <code className="font-mono text-ink">{to}</code>
          </p>
        )}
      </div>
      <p className="text-ink-soft">{accounts === 0 ? 'No account' : countOf(accounts, 'account')}</p>
    </li>
  )
}
