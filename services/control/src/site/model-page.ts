import { callToAction } from './call-to-action.ts'
import { card, container, primaryButton, sectionTitle, textLink } from './class-names.ts'
import { codeTabs, copyButton } from './code-tabs.ts'
import { formatCount, formatPrice, formatSize, joinNames } from './format.ts'
import { type Html, type HtmlValue, html } from './html.ts'
import { otherPrices, priceTables } from './model-prices.ts'
import { kindNames } from './models-page.ts'
import { describeChanges, modelMarks } from './price-text.ts'
import type { Page, SiteContext, Visitor } from './site-context.ts'
import { modelPath, type SiteFacts, type SiteModel } from './site-facts.ts'
import { writeSnippets } from './snippets.ts'
import { measuredSpeed } from './status-page.ts'
import { modelProduct } from './structured-data.ts'

/** `/models/<id>`: every price of a model, where it is offered, and how to call it. */
export function modelPage(model: SiteModel, facts: SiteFacts, context: SiteContext, visitor: Visitor): Page {
  const { id, isFree } = model
  const description = describeModel(model)
  const changes = describeChanges(model)
  const others = otherPrices(model)
  const { main } = callToAction(context, visitor)
  return {
    path: modelPath(id),
    title: isFree ? `${id}: free` : `${id}: prices`,
    description,
    body: html`<div class="${container} pt-8"><nav aria-label="Breadcrumb" class="text-[0.8125rem]"><a href="/models" class="${textLink}">All models</a></nav>
<div class="mt-2 flex flex-wrap items-center gap-x-3 gap-y-2"><h1 class="font-mono text-2xl font-semibold tracking-tight [overflow-wrap:anywhere] sm:text-3xl">${id}</h1>${copyButton(id, 'Copy the name of the model')}${modelMarks(model, facts)}</div>
<p class="mt-2 max-w-prose text-ink-soft">${description}</p>
<div class="mt-6 grid gap-x-6 gap-y-6 lg:grid-cols-[minmax(0,1fr)_24rem]">
<div class="min-w-0">${codeTabs(writeSnippets(model, context.gatewayUrl), 'Language of the example')}</div>
<section class="${card} min-w-0 p-5" aria-label="Facts">${writeFacts(model, facts)}<a href="${main.href}" class="${primaryButton} mt-5 w-full">${main.text}</a></section></div>
<section class="mt-10" aria-labelledby="prices"><h2 id="prices" class="${sectionTitle}">Prices</h2><p class="mt-1 text-ink-soft">USD per million tokens, as an account of the free plan pays them.</p>${
      changes.length > 0 &&
      html`<ul class="mt-4 space-y-1 rounded-xl bg-warning-soft px-4 py-3 text-sm text-warning">${changes.map((text) => html`<li>${text}</li>`)}</ul>`
    }${priceTables(model)}${
      others.length > 0 &&
      html`<ul class="mt-3 space-y-1 text-sm text-ink-soft">${others.map((text) => html`<li>Besides: ${text}.</li>`)}</ul>`
    }</section>${measuredSpeed(facts, id)}</div>`,
    data: [modelProduct(model, context, description)]
  }
}

function describeModel(model: SiteModel): string {
  const { id, provider, kind, usual, isFree, max_output_tokens: output, context_tokens: context } = model
  const price = isFree
    ? 'It is free.'
    : `Input costs ${formatPrice(usual.input)}${output > 0 ? ` and output ${formatPrice(usual.output)}` : ''} per million tokens.`
  const maker = model.owned_by === 'local' ? 'that we host ourselves' : `of ${provider}`
  return `${id} is ${articles[kind]} model ${maker}, with a context of ${formatSize(context)} tokens. ${price}`
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
