import { formatUsd } from '../../format/money.ts'
import { formatCount } from '../../format/number.ts'
import { Banner } from '../../ui/banner.tsx'
import { Spinner } from '../../ui/button.tsx'
import { costUsd, type Prices } from './chat-events.ts'
import type { Turn } from './turn.ts'

interface TurnViewProps {
  readonly turn: Turn
  /** Null if the prices of the model are unknown. */
  readonly prices: Prices | null
}

/** A question, its answer, and the time, tokens and cost. */
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
        <Banner tone="danger" isAnnounced>
          {turn.problem}
        </Banner>
      )}
      {turn.state === 'stopped' && (
        <p className="text-sm text-ink-soft">Stopped. The tokens used so far are charged.</p>
      )}
      {turn.state !== 'streaming' && <TurnStats turn={turn} prices={prices} />}
    </li>
  )
}

function TurnStats({ turn: { model, usage, firstTokenMs, totalMs }, prices }: TurnViewProps) {
  const facts = [
    ['Model', model],
    ['First token', firstTokenMs === null ? null : `${formatCount(firstTokenMs)} ms`],
    ['Total', totalMs === null ? null : `${formatCount(totalMs)} ms`],
    ['Input', usage === null ? null : `${formatCount(usage.promptTokens)} tokens`],
    ['Output', usage === null ? null : `${formatCount(usage.completionTokens)} tokens`],
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
