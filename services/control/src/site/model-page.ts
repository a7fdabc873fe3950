import { storedInShort } from '@tollgate/contracts/docs/docs-facts.ts'
import { callToAction, wayToPlan } from './call-to-action.ts'
import { card, container, plainButton, primaryButton, sectionTitle, textLink } from './class-names.ts'
import { codeTabs, copyButton } from './code-tabs.ts'
import { formatContext, formatCount, formatMonth, formatPrice, joinNames } from './format.ts'
import { type Html, type HtmlValue, html } from './html.ts'
import { modelAbilities } from './model-abilities.ts'
import { hasTiers, otherPrices, priceTables } from './model-prices.ts'
import { kindNames } from './models-page.ts'
import { intervals, priceOf } from './plan-prices.ts'
import { describeChanges, describeExampleCost, describeUnit } from './price-text.ts'
import { describeData } from './providers-page.ts'
import type { Page, SiteContext, Visitor } from './site-context.ts'
import { modelPath, type SiteFacts, type SiteModel } from './site-facts.ts'
import { writeSnippets } from './snippets.ts'
import { measuredSpeed } from './status-page.ts'
import { modelProduct } from './structured-data.ts'

/** `/models/<id>`: every price of a model, where it is offered, and how to call it. */
export function modelPage(model: SiteModel, facts: SiteFacts, context: SiteContext, visitor: Visitor): Page {
  const { id, about } = model
  const description = describeModel(model)
  const changes = describeChanges(model)
  const others = otherPrices(model)
  return {
    path: modelPath(id),
    title: `${id}: prices and features`,
    description: about === null ? description : `${about} ${description}`,
    body: html`<div class="${container} pt-8"><nav aria-label="Breadcrumb" class="text-[0.8125rem]"><a href="/models" class="${textLink}">All models</a></nav>
<div class="mt-2 flex flex-wrap items-center gap-x-3 gap-y-2"><h1 class="font-mono text-2xl font-semibold tracking-tight [overflow-wrap:anywhere] sm:text-3xl">${id}</h1>${copyButton(id, 'Copy the name of the model')}</div>
${about !== null && html`<p class="mt-3 max-w-prose text-lg text-pretty">${about}</p>`}<p class="mt-2 max-w-prose text-ink-soft">${description}</p>
<div class="mt-6 grid items-start gap-x-6 gap-y-6 lg:grid-cols-[minmax(0,1fr)_24rem]">
<div class="min-w-0">${codeTabs(writeSnippets(model, context.gatewayUrl), 'Language of the example')}<p class="mt-3 text-sm text-ink-soft">${describeExampleCost(model)}</p></div>
<section class="${card} min-w-0 p-5" aria-label="Facts">${writeFacts(model, facts)}<div class="mt-5 grid gap-2">${writeWays(model, facts, context, visitor)}</div></section></div>
${modelAbilities(model)}
<section class="mt-10" aria-labelledby="prices"><h2 id="prices" class="${sectionTitle}">Prices</h2><p class="mt-1 text-ink-soft">${describeUnit(facts)}</p>${
      changes.length > 0 &&
      html`<ul class="mt-4 space-y-1 rounded-xl bg-warning-soft px-4 py-3 text-sm text-warning">${changes.map((text) => html`<li>${text}</li>`)}</ul>`
    }${priceTables(model)}${
      others.length > 0 &&
      html`<ul class="mt-3 space-y-1 text-sm">${others.map((text) => html`<li>${text}.</li>`)}</ul>`
    }${hasTiers(model) && tierNote}</section>${measuredSpeed(facts, id)}${writeData(model, facts)}${writeOthers(model, facts)}</div>`,
    data: [modelProduct(model, context, description)]
  }
}

/** Where requests of the model go, and what becomes of prompts there. */
function writeData({ owned_by: owner }: SiteModel, { providers, year }: SiteFacts): Html | null {
  const provider = providers.find(({ id }) => id === owner)
  const text = provider && describeData(provider, year)
  if (!text) return null
  return html`<section class="mt-10" aria-labelledby="data"><h2 id="data" class="${sectionTitle}">Your data</h2><p class="mt-2 max-w-prose text-ink-soft">${text} ${storedInShort} <a href="/providers" class="${textLink}">All providers</a></p></section>`
}

const maxOthers = 8

/** Leads to further models of the same provider. */
function writeOthers({ id, provider, owned_by: owner }: SiteModel, { models }: SiteFacts): Html | null {
  const others = models.filter((one) => one.owned_by === owner && one.id !== id)
  if (others.length === 0) return null
  return html`<section class="mt-10" aria-labelledby="others"><h2 id="others" class="${sectionTitle}">More models from ${provider}</h2><ul class="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-sm">${others
    .slice(0, maxOthers)
    .map(
      (one) =>
        html`<li><a href="${modelPath(one.id)}" class="inline-block py-1 font-mono ${textLink}">${one.id}</a></li>`
    )}<li><a href="/models?${new URLSearchParams({ provider: owner }).toString()}" class="inline-block py-1 ${textLink}">All ${formatCount(others.length + 1)}</a></li></ul></section>`
}

const tierNote = html`<p class="mt-3 max-w-prose text-sm text-ink-soft">A request chooses a service tier by its member <a href="/docs/api/models/createChatCompletion" class="${textLink} font-mono">service_tier</a>. The provider decides how fast each tier is. Without this member, requests run in the standard tier.</p>`

/** Leads to the cheapest plan that includes the model, if that has a price: for strangers, by way of their registration. */
function writeWays({ plan }: SiteModel, { plans }: SiteFacts, context: SiteContext, visitor: Visitor): Html {
  const { main } = callToAction(context, visitor)
  const sold = plans.find(({ id }) => id === plan.id)
  const interval = intervals.find((name) => sold !== undefined && priceOf(sold, name) !== undefined)
  const mayBuy = visitor.hasSession || context.terms.signup !== 'invited'
  if (interval === undefined || !mayBuy)
    return html`<a href="${main.href}" class="${primaryButton} w-full">${main.text}</a>`
  const { href, text } = wayToPlan(plan, interval, context, visitor)
  if (visitor.hasSession) {
    return html`<a href="${main.href}" class="${primaryButton} w-full">${main.text}</a><a href="${href}" class="${plainButton} w-full">${text}</a>`
  }
  return html`<a href="${href}" class="${primaryButton} w-full">${text}</a>`
}

function describeModel(model: SiteModel): string {
  const { id, provider, kind, usual, max_output_tokens: output, context_tokens: context } = model
  const price = `Input costs ${formatPrice(usual.input)}${output > 0 ? ` and output ${formatPrice(usual.output)}` : ''} per million tokens.`
  const server = model.owned_by === 'local' ? 'on our own servers' : `served by ${provider}`
  return `${id} is ${articles[kind]} model ${server}, with a context of ${formatContext(context)} tokens. ${price}`
}

const articles: Readonly<Record<SiteModel['kind'], string>> = {
  chat: 'a chat',
  completion: 'a completion',
  embedding: 'an embedding',
  moderation: 'a moderation'
}

function writeFacts(model: SiteModel, { plans }: SiteFacts): Html {
  const { endpoints, aliases, max_output_tokens: output } = model
  const included = plans.filter(({ modelIds }) => modelIds.has(model.id)).map(({ name }) => name)
  const facts: ReadonlyArray<readonly [name: string, value: HtmlValue]> = [
    ['Provider', model.provider],
    ['Kind', kindNames[model.kind]],
    ['Context', `${formatCount(model.context_tokens)} tokens`],
    ...(output > 0 ? [['Maximum output', `${formatCount(output)} tokens`] as const] : []),
    ['Accepts', joinNames(model.accepts)],
    ...(model.knowledge === null ? [] : [['Knows the world until', formatMonth(model.knowledge)] as const]),
    ...(endpoints === null || endpoints.length === 0 ? [] : [['Endpoints', writeCodes(endpoints)] as const]),
    ...(aliases.length === 0 ? [] : [['Also named', writeCodes(aliases)] as const]),
    ['Plans', html`<a href="/pricing" class="${textLink}">${joinNames(included)}</a>`]
  ]
  return html`<dl class="space-y-3 text-sm">${facts.map(
    ([name, value]) =>
      html`<div class="flex justify-between gap-x-6"><dt class="shrink-0 text-ink-soft">${name}</dt><dd class="min-w-0 text-right">${value}</dd></div>`
  )}</dl>`
}

const writeCodes = (texts: readonly string[]): Html =>
  html`${texts.map((text) => html`<code class="block font-mono text-[0.8125rem] [overflow-wrap:anywhere]">${text}</code>`)}`
