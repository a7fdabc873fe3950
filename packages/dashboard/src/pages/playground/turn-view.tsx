import { formatUsd } from '../../format/money.ts'
import { formatCount } from '../../format/number.ts'
import { Banner } from '../../ui/banner.tsx'
import { Spinner } from '../../ui/button.tsx'
import { costUsd, type Prices } from './chat-events.ts'
import type { Turn } from './use-chat.ts'

type TurnViewProps = {
  readonly turn: Turn
  /** Null for a model whose prices are not known here. */
  readonly prices: Prices | null
}

/** A question, its answer, and what it took. */
export function TurnView({ turn, prices }: TurnViewProps) {
  return (
    <li className="space-y-3 px-5 py-4">
      <p className="text-sm font-medium break-words whitespace-pre-wrap">{turn.question}</p>
      {turn.answer !== '' && <p className="break-words whitespace-pre-wrap">{turn.answer}</p>}
      {turn.state === 'streaming' && turn.answer === '' && (
        <p className="flex items-center gap-2 text-sm text-ink-soft">
          <Spinner /> Waiting for {turn.model} …
        </p>
      )}
      {turn.problem !== null && (
        <Banner tone="danger" isNews>
          {turn.problem}
        </Banner>
      )}
      {turn.state === 'stopped' && <p className="text-sm text-ink-soft">Stopped. What had come so far is charged.</p>}
      {turn.state !== 'streaming' && <Measures turn={turn} prices={prices} />}
    </li>
  )
}

function Measures({ turn: { model, usage, firstTokenMs, totalMs }, prices }: TurnViewProps) {
  const facts = [
    ['Model', model],
    ['First token', firstTokenMs === null ? null : `${formatCount(firstTokenMs)} ms`],
    ['Total', totalMs === null ? null : `${formatCount(totalMs)} ms`],
    ['Prompt', usage === null ? null : `${formatCount(usage.promptTokens)} tokens`],
    ['Answer', usage === null ? null : `${formatCount(usage.completionTokens)} tokens`],
    ['Cost', usage === null || prices === null ? null : formatUsd(costUsd(usage, prices))]
  ] as const
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-[0.8125rem] text-ink-soft">
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
  )
}
