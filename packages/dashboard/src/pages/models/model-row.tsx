import { Link } from '@tanstack/react-router'
import { featureTexts } from '@tollgate/contracts/catalog/features.ts'
import { chatApiOf } from '../../chat-models/chat-api.ts'
import { formatExactUsd } from '../../format/money.ts'
import { countOf, formatCompact } from '../../format/number.ts'
import { BillingLink } from '../../layout/owner.tsx'
import { Badge } from '../../ui/badge.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { type Column, DataTable, Facts } from '../../ui/data-table.tsx'
import {
  describePeriod,
  describeRow,
  otherPrices,
  type PricedModel,
  type PricePeriod,
  type PriceRow,
  pricedKinds,
  usualPrices
} from './models.ts'

/** All prices of tokens: a table for each period. */
const PriceTables = ({ model }: { readonly model: PricedModel }) =>
  model.prices.map((period) => (
    <PriceTable key={describePeriod(period)} model={model.id} period={period} isOnly={model.prices.length === 1} />
  ))

interface PriceTableProps {
  readonly model: string
  readonly period: PricePeriod
  readonly isOnly: boolean
}

function PriceTable({ model, period, isOnly }: PriceTableProps) {
  const when = describePeriod(period)
  const columns: ReadonlyArray<Column<PriceRow>> = [
    { name: 'Requests', show: describeRow },
    ...pricedKinds(period.rows).map(({ name, priceIn }) => ({
      name,
      isNumber: true,
      show: (row: PriceRow) => {
        const usd = priceIn(row)
        return usd === undefined ? '–' : formatExactUsd(usd)
      }
    }))
  ]
  return (
    <div>
      <p className="mb-1 flex flex-wrap items-center gap-2 font-medium">
        {isOnly ? 'Prices for a million tokens' : when}
        {!isOnly && period.is_now && <Badge tone="accent">Now</Badge>}
      </p>
      <div className="rounded-xl border border-line">
        <DataTable
          label={`Prices of ${model}: ${when}`}
          columns={columns}
          rows={period.rows}
          keyOf={({ tier, above_prompt_tokens }) => `${tier} ${above_prompt_tokens}`}
        />
      </div>
    </div>
  )
}

/** A model with its usual prices. Everything else unfolds. */
export function ModelRow({ model }: { readonly model: PricedModel }) {
  const {
    id,
    aliases,
    kind,
    owned_by,
    is_included: isIncluded,
    context_tokens: context,
    max_output_tokens: output
  } = model
  const usual = usualPrices(model)
  const others = otherPrices(model)
  return (
    <li className="px-5 py-4">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="font-mono text-sm font-medium break-all">{id}</h2>
          <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-ink-soft">
            <span>{owned_by}</span>
            <Badge>{kind}</Badge>
            {!isIncluded && <Badge tone="warning">Not in your plan</Badge>}
          </p>
          <p className="mt-2 text-sm tabular-nums">
            {formatExactUsd(usual.input)} input
            {output > 0 && <> · {formatExactUsd(usual.output)} output</>}
            <span className="text-ink-soft"> · {formatCompact(context)} tokens of context</span>
          </p>
          {model.about !== null && <p className="mt-1 text-sm text-ink-soft">{model.about}</p>}
        </div>
        <div className="flex flex-wrap gap-2">
          <CopyButton text={id} what={`the id ${id}`} />
          {isIncluded && kind === 'chat' && chatApiOf(model.endpoints) !== null && (
            <Link
              to="/dashboard/playground"
              search={{ model: id }}
              className={buttonLook({ size: 'small' })}
              aria-label={`Try it in the playground: ${id}`}
            >
              Try it
            </Link>
          )}
        </div>
      </div>
      {!isIncluded && (
        <p className="mt-2 text-sm">
          In the {model.plans.length === 1 ? 'plan' : 'plans'} {model.plans.map(({ name }) => name).join(', ')}.{' '}
          <BillingLink text="Upgrade" label={`Upgrade to use ${id}`} />
        </p>
      )}
      <details className="mt-3 text-sm">
        <summary className="w-fit text-[0.8125rem] font-medium text-ink-soft hover:text-ink">
          All prices and details<span className="sr-only"> of {id}</span>
        </summary>
        <div className="mt-4 space-y-5">
          <Facts
            facts={[
              ...(aliases.length === 0 ? [] : [['Also called', aliases.join(', ')] as const]),
              ['Context', countOf(context, 'token')],
              ['Maximum output', output === 0 ? 'None' : countOf(output, 'token')],
              ['Accepts', model.accepts.join(', ')],
              ...(model.features.length === 0
                ? []
                : [['Can do', model.features.map((name) => featureTexts[name]).join(', ')] as const]),
              ...(model.knowledge === null ? [] : [['Knows the world until', model.knowledge] as const]),
              ['Endpoints', <Endpoints key="endpoints" paths={model.endpoints} />],
              ['Plans', model.plans.map(({ name }) => name).join(', ') || 'Your plan']
            ]}
          />
          <PriceTables model={model} />
          {others.length > 0 && (
            <ul aria-label="Other prices" className="list-disc space-y-1 pl-5">
              {others.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          )}
        </div>
      </details>
    </li>
  )
}

function Endpoints({ paths }: { readonly paths: PricedModel['endpoints'] }) {
  if (paths === null) return 'Not known: no gateway is running'
  if (paths.length === 0) return 'None at the moment'
  return paths.map((path) => (
    <span key={path} className="block font-mono text-[0.8125rem] break-all">
      {path}
    </span>
  ))
}
