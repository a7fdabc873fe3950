import { storedInShort } from '@tollgate/contracts/docs/docs-facts.ts'
import { builtInBrand } from '@tollgate/service/brand/brand.ts'
import { actionButtons } from './call-to-action.ts'
import {
  card,
  container,
  headCell,
  lastCell,
  numberCell,
  rowCell,
  rowHead,
  sectionTitle,
  textLink
} from './class-names.ts'
import { type CodeOutput, codeTabs } from './code-tabs.ts'
import { nameProviders, writeHeadline, writePoints, writeQuestions } from './default-texts.ts'
import { countOf, formatContext } from './format.ts'
import { type Html, html } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import { planCards } from './plan-cards.ts'
import { alignPrices, describeUnit, exampleCost, modelMarks, planMark } from './price-text.ts'
import { questionData, questionList } from './questions.ts'
import type { Page, SiteContext, Visitor } from './site-context.ts'
import { chooseKnownModels, modelPath, type SiteFacts, type SiteModel } from './site-facts.ts'
import { speaksOnlyMessages, writeSnippets } from './snippets.ts'
import { statusLine } from './status-page.ts'

const shownModels = 8

/** `/`: what is sold, at what price, and how to call it. */
export function landingPage(facts: SiteFacts, context: SiteContext, visitor: Visitor): Page {
  const { brand, texts, terms, publicUrl } = context
  const { title, subline } = writeHeadline(texts, facts)
  const questions = writeQuestions(texts, facts, terms)
  return {
    path: '/',
    title,
    description: `${title} ${subline}`,
    body: html`${writeHero(title, subline, facts, context, visitor)}
${writeReasons(facts, context)}
${facts.models.length > 0 && html`<section class="${container} mt-14" aria-labelledby="models">${writeModels(facts)}</section>`}
<section class="${container} mt-14" aria-labelledby="plans"><h2 id="plans" class="${sectionTitle}">Plans</h2><p class="mt-1 mb-4 text-ink-soft">A fixed price with a monthly budget. <a href="/pricing" class="${textLink}">Compare the plans</a></p>${planCards(facts, context, visitor)}</section>
<section class="${container} mt-14">${questionList(questions)}</section>
<section class="${container} mt-14"><div class="${card} flex flex-wrap items-center justify-between gap-x-8 gap-y-4 p-6"><p class="text-xl font-semibold tracking-tight text-balance">${lastWords(context, visitor)}</p><div>${actionButtons(facts, context, visitor, { href: '/models', text: 'See all models' })}</div></div></section>`,
    data: [
      { '@type': 'WebSite', name: brand.name, url: `${publicUrl}/`, description: subline },
      questionData(questions)
    ]
  }
}

/** What stands beside the last buttons of the page. Only somebody who may register at once is promised a minute. */
function lastWords({ terms }: SiteContext, { hasSession }: Visitor): string {
  if (hasSession) return 'Your keys and your usage are in the dashboard.'
  return terms.signup === 'open' ? 'Send your first request in a minute.' : 'One key, every model, one budget.'
}

function writeHero(title: string, subline: string, facts: SiteFacts, context: SiteContext, visitor: Visitor): Html {
  const { example } = facts
  return html`<section class="border-b border-line bg-sunken"><div class="${container} grid items-center gap-x-12 gap-y-8 py-10 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.05fr)]">
<div><h1 class="text-[2rem] leading-tight font-semibold tracking-tight break-words sm:text-[2.75rem]">${title}</h1><p class="mt-4 max-w-prose text-lg text-ink-soft text-pretty">${subline}</p><div class="mt-6">${actionButtons(facts, context, visitor, { href: '/models', text: 'See models and prices' })}</div><p class="mt-3 text-sm text-ink-soft">${storedInShort} <a href="/docs/security" class="${textLink}">Data and security</a></p>${statusLine(facts)}</div>
${example !== null && html`<div class="min-w-0">${codeTabs(writeSnippets(example, context.gatewayUrl), 'Language of the example', writeAnswer(example, context))}${claudeNote(facts)}</div>`}
</div></section>`
}

/** How models answer the example, with the tokens that they count for it. */
const answer = { content: 'Hello! How can I help you today?', prompt: 9, completion: 9 }

/** The members that every provider's answer has, shortened to what a reader looks for. */
const answerBody = `{
  "choices": [{
    "message": { "content": "${answer.content}" }
  }],
  "usage": { "prompt_tokens": ${answer.prompt}, "completion_tokens": ${answer.completion} }
}`

/** What the example prints and costs, and where its answer says so. No brand's page shows a header with the product's name. */
function writeAnswer(example: SiteModel, { brand }: SiteContext): CodeOutput {
  const header =
    brand.name === builtInBrand.name ? html`the header <code class="font-mono">x-tollgate-cost</code>` : 'a header'
  return {
    printed: { curl: answerBody, python: answer.content, node: answer.content },
    note: html`${answer.prompt} input and ${answer.completion} output tokens cost <strong class="font-medium text-ink">${exampleCost(example, answer.prompt, answer.completion)}</strong>. Each answer has its cost in ${header}.`
  }
}

/** Where the example's API is not that of Claude models. */
const claudeNote = ({ models }: SiteFacts): Html | null =>
  models.some((model) => model.owned_by === 'anthropic' && speaksOnlyMessages(model))
    ? html`<p class="mt-3 text-sm text-ink-soft">Claude models speak Anthropic’s API at <code class="font-mono">/v1/messages</code>. <a href="/docs/clients" class="${textLink}">How to call them</a></p>`
    : null

function writeReasons(facts: SiteFacts, { texts }: SiteContext): Html {
  const points = writePoints(texts, facts)
  return html`<section class="${container} mt-10"><ul class="grid gap-x-10 gap-y-6 ${points.length === 2 ? 'sm:grid-cols-2' : 'md:grid-cols-3'}">${points.map(
    ({ title, markdown }) =>
      html`<li><h2 class="font-semibold tracking-tight">${title}</h2><div class="prose mt-1 text-ink-soft">${renderMarkdown(markdown, 3)}</div></li>`
  )}</ul></section>`
}

function writeModels(facts: SiteFacts): Html {
  const providers = nameProviders(facts)
  const models = chooseKnownModels(facts, shownModels)
  const writeInput = alignPrices(models, 'input')
  const writeCached = alignPrices(models, 'cached_input')
  const writeOutput = alignPrices(models, 'output')
  return html`<div class="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1"><div><h2 id="models" class="${sectionTitle}">${countOf(facts.models.length, 'model')}${providers !== '' && ` from ${providers}`}</h2><p class="mt-1 text-ink-soft">${describeUnit(facts)}</p></div><a href="/models" class="${textLink} inline-block py-1">All models and prices</a></div>
<div class="${card} mt-5 overflow-hidden"><table class="w-full text-sm"><thead class="border-b border-line"><tr><th scope="col" class="${headCell} pl-5">Model</th><th scope="col" class="${headCell} hidden md:table-cell">Provider</th><th scope="col" class="${headCell} hidden sm:table-cell">Plan</th><th scope="col" class="${headCell} ${numberCell} hidden sm:table-cell">Context</th><th scope="col" class="${headCell} ${numberCell}">Input</th><th scope="col" class="${headCell} ${numberCell} hidden md:table-cell">Cached input</th><th scope="col" class="${headCell} ${numberCell} pr-5">Output</th></tr></thead><tbody class="divide-y divide-line">${models.map(
    (model) =>
      html`<tr class="hover:bg-sunken"><td class="${rowHead}"><a href="${modelPath(model.id)}" class="row-link">${model.id}</a> ${modelMarks(model, facts)}<span class="block pb-1 leading-snug text-[0.8125rem] text-ink-soft sm:hidden">${model.plan.name} plan</span></td><td class="${rowCell} hidden text-ink-soft md:table-cell">${model.provider}</td><td class="${rowCell} hidden text-ink-soft sm:table-cell">${planMark(model)}</td><td class="${rowCell} ${numberCell} hidden sm:table-cell">${formatContext(model.context_tokens)}</td><td class="${rowCell} ${numberCell}">${writeInput(model)}</td><td class="${rowCell} ${numberCell} hidden md:table-cell">${writeCached(model)}</td><td class="${rowCell} ${numberCell} ${lastCell}">${writeOutput(model)}</td></tr>`
  )}</tbody></table></div>`
}
