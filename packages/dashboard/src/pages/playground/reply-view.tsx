import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useDeferredValue } from 'react'
import { formatExactUsd } from '../../format/money.ts'
import { countOf, formatCount } from '../../format/number.ts'
import { Banner } from '../../ui/banner.tsx'
import { Spinner } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import type { Reply } from './turn.ts'

/** Loaded with the first answer: it is larger than the rest of the page. */
const Markdown = lazy(() =>
  import('./markdown.tsx').then(
    ({ Markdown }) => ({ default: Markdown }),
    // Without its code, the conversation stays readable.
    () => ({ default: PlainText })
  )
)

const PlainText = ({ text }: { readonly text: string }) => <p className="break-words whitespace-pre-wrap">{text}</p>

/** The answer of a model, with its tokens, its cost and its time. */
export function ReplyView({ reply }: { readonly reply: Reply }) {
  const { model, text, state, isCut, problem, requestId } = reply
  const latest = useDeferredValue(text)
  return (
    <article aria-label={`Answer of ${model}`} aria-busy={state === 'streaming'} className="min-w-0 space-y-3">
      <p className="flex items-center gap-2 font-mono text-[0.8125rem] text-ink-soft">
        <span className="min-w-0 wrap-anywhere">{model}</span>
        {state === 'streaming' && <Spinner />}
      </p>
      {text !== '' && (
        <Suspense fallback={<PlainText text={text} />}>
          <Markdown text={latest} />
        </Suspense>
      )}
      {state === 'streaming' && text === '' && <p className="text-sm text-ink-soft">Waiting for the answer …</p>}
      {problem !== null && (
        <Banner tone="danger" isAnnounced>
          <p>{problem.text}</p>
          {problem.remedies.length > 0 && (
            <p className="mt-1.5 flex flex-wrap gap-x-4 gap-y-1">
              {problem.remedies.map(({ to, text }) => (
                <Link key={to} to={to} target="_blank" className={textLink}>
                  {text}
                </Link>
              ))}
            </p>
          )}
        </Banner>
      )}
      {state === 'stopped' && (
        <p className="text-sm text-ink-soft">
          {requestId === null
            ? 'Stopped before the answer began.'
            : 'Stopped. The tokens used so far are charged: see the receipt.'}
        </p>
      )}
      {isCut && (
        <p className="text-sm text-ink-soft">The answer ends here, because it reached the maximum of tokens.</p>
      )}
      {state !== 'streaming' && <ReplyFacts reply={reply} />}
    </article>
  )
}

function ReplyFacts({ reply: { text, usage, costUsd, requestId, firstTokenMs, totalMs } }: { readonly reply: Reply }) {
  const facts = [
    ['Cost', costUsd === null ? null : formatExactUsd(costUsd)],
    ['Input', usage === null ? null : countOf(usage.promptTokens, 'token')],
    ['Output', usage === null ? null : countOf(usage.completionTokens, 'token')],
    ['First token', firstTokenMs === null ? null : `${formatCount(firstTokenMs)} ms`],
    ['Total', totalMs === null ? null : `${formatCount(totalMs)} ms`]
  ] as const
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5 text-[0.8125rem] text-ink-soft">
      <dl className="flex flex-wrap gap-x-4 gap-y-1">
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name} className="flex gap-1.5">
                <dt>{name}</dt>
                <dd className="font-medium text-ink tabular-nums">{value}</dd>
              </div>
            )
        )}
      </dl>
      {requestId !== null && (
        // In a tab of its own: the conversation stays in sight.
        <Link to="/dashboard/requests/$id" params={{ id: requestId }} target="_blank" className={textLink}>
          Receipt
        </Link>
      )}
      {text !== '' && <CopyButton text={text} what="the answer" />}
    </div>
  )
}
