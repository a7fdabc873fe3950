import { sectionTitle, textLink } from './class-names.ts'
import { formatPrice } from './format.ts'
import { type Html, type HtmlValue, html } from './html.ts'
import { type Ability, abilities, abilitiesOf } from './models-query.ts'
import { hasOutput } from './price-text.ts'
import type { SiteModel } from './site-facts.ts'
import { speaksOnlyMessages } from './snippets.ts'

const code = (text: string): Html => html`<code class="font-mono text-[0.8125rem] text-ink">${text}</code>`

interface AbilityText {
  /** The section of the guide on features. */
  readonly anchor: string
  /** How a request asks for it. Members have other names in Anthropic's API. */
  readonly write: (model: SiteModel, isAnthropic: boolean) => HtmlValue
}

const texts: Readonly<Record<'streaming' | Ability, AbilityText>> = {
  streaming: {
    anchor: 'streaming',
    write: () => html`With ${code('stream')}, the answer arrives as it is written.`
  },
  tools: {
    anchor: 'tool-calls',
    write: () => html`The model asks for calls of the functions in ${code('tools')}. Your code runs them.`
  },
  json_mode: {
    anchor: 'answers-as-json',
    write: () => html`${code('response_format')} of the type ${code('json_object')}.`
  },
  structured_outputs: {
    anchor: 'answers-as-json',
    write: (_, isAnthropic) =>
      isAnthropic
        ? html`The answer follows the schema in ${code('output_config.format')}.`
        : html`The answer follows your schema: ${code('response_format')} of the type ${code('json_schema')}.`
  },
  reasoning: {
    anchor: 'reasoning',
    write: () => 'It can think before it answers. What it thinks is charged as output.'
  },
  web_search: {
    anchor: 'web-search',
    write: ({ usd_per_call: { web_search: usd = 0 } }, isAnthropic) =>
      html`The tool ${code('web_search')}${!isAnthropic && html` at ${code('/v1/responses')}`}: ${formatPrice(usd)} a search.`
  },
  prompt_caching: {
    anchor: 'prompt-caching',
    write: ({ usual }) =>
      `The known beginning of a prompt costs ${formatPrice(usual.cached_input)} per million tokens, not ${formatPrice(usual.input)}.`
  },
  image: {
    anchor: 'images',
    write: (_, isAnthropic) => html`Parts of the type ${code(isAnthropic ? 'image' : 'image_url')} in a message.`
  },
  audio: { anchor: 'audio', write: () => html`Parts of the type ${code('input_audio')} in a message.` }
}

/** What a model can do, and how a request asks for it; null for one that only takes a text. */
export function modelAbilities(model: SiteModel): Html | null {
  const names = [...(hasOutput(model) ? (['streaming'] as const) : []), ...abilitiesOf(model)]
  if (names.length === 0) return null
  const isAnthropic = speaksOnlyMessages(model)
  return html`<section class="mt-10" aria-labelledby="can"><h2 id="can" class="${sectionTitle}">What it can do</h2><dl class="mt-4 grid gap-x-10 gap-y-4 text-sm sm:grid-cols-2 lg:grid-cols-3">${names.map(
    (name) =>
      html`<div><dt class="font-medium"><a href="/docs/features#${texts[name].anchor}" class="${textLink}">${name === 'streaming' ? 'Streaming' : abilities[name]}</a></dt><dd class="mt-0.5 text-ink-soft">${texts[name].write(model, isAnthropic)}</dd></div>`
  )}</dl></section>`
}
