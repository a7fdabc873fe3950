import { storedHere } from '@tollgate/contracts/docs/docs-facts.ts'
import type { SignInProvider } from '../auth/sign-in-settings.ts'
import { countOf, formatUsd, joinNames } from './format.ts'
import { cheapestOffer, writeAmount } from './plan-prices.ts'
import type { SiteFacts, SitePlan } from './site-facts.ts'
import type { Section, SiteTexts } from './site-texts.ts'

/** What default texts say about this installation, besides its catalog. */
export interface SiteTerms {
  readonly name: string
  readonly signup: 'open' | 'approved' | 'invited'
  /** With whom people may sign in besides a password. */
  readonly providers: readonly SignInProvider[]
  /** Days that the request log is kept besides the present one. */
  readonly requestLogDays: number
  /** Whether all free accounts together have a limit of a day. */
  readonly hasFreeLimit: boolean
  readonly isMailing: boolean
}

const maxNamed = 3

/** Who serves the models, as a part of a sentence: `OpenAI, Anthropic, Google and 4 more providers`. */
export function nameProviders({ providers }: SiteFacts): string {
  const names = providers.filter(({ id }) => id !== 'local').map(({ name }) => name)
  const more = names.length - maxNamed
  return more > 1 ? `${names.slice(0, maxNamed).join(', ')} and ${more} more providers` : joinNames(names)
}

/** The headline and the line below it: the operator's, or what is true of every installation. */
export function writeHeadline(texts: SiteTexts, facts: SiteFacts): { title: string; subline: string } {
  const providers = nameProviders(facts)
  const subline = [
    `Call ${countOf(facts.models.length, 'model')}${providers === '' ? '' : ` from ${providers}`} with one key.`,
    'Each key has a hard budget, and each request shows what it cost.'
  ].join(' ')
  const { title, subline: own } = texts.headline ?? {
    title: 'One API key for every model. Budgets that hold.',
    subline
  }
  return { title, subline: own ?? subline }
}

const speaksAnthropic = ({ endpoints }: SiteFacts): boolean => endpoints.has('/v1/messages')

/** Three reasons: the operator's, or those that are true of every installation. */
export function writePoints(texts: SiteTexts, facts: SiteFacts): readonly Section[] {
  if (texts.points !== null) return texts.points
  return [
    {
      title: 'Change two lines of code',
      markdown: writeChange(facts)
    },
    {
      title: 'A budget is a limit, not an alert',
      markdown:
        'The maximum cost of a request is reserved before it starts. So no key spends more than its budget, however many requests run at once.'
    },
    {
      title: 'Know what each request cost',
      markdown:
        'Every request has a receipt with its tokens, its prices and its cost. No receipt has prompts or answers.'
    }
  ]
}

function writeChange(facts: SiteFacts): string {
  const agents = [
    ...(facts.endpoints.has('/v1/messages') ? ['Claude Code'] : []),
    ...(facts.endpoints.has('/v1/responses') ? ['Codex'] : [])
  ]
  const sdk = speaksAnthropic(facts) ? 'the SDK of OpenAI or Anthropic' : 'the OpenAI SDK'
  const speak = speaksAnthropic(facts) ? ' The page of each model names the APIs that it speaks.' : ''
  const rest = agents.length === 0 ? '' : ` [Coding agents](/docs/clients) such as ${joinNames(agents)} work, too.`
  return `Keep ${sdk}: set the base URL and the key.${speak}${rest}`
}

/** The list of questions: the operator's, or one about caps, prices, data, compatibility and leaving. */
export function writeQuestions(texts: SiteTexts, facts: SiteFacts, terms: SiteTerms): readonly Section[] {
  if (texts.questions !== null) return texts.questions
  const { plans } = facts
  const [free] = plans.filter(({ isFree }) => isFree)
  return [
    {
      title: 'What happens when a budget is used up?',
      markdown:
        'As a budget runs low, the maximum length of answers shrinks to what is left. When even a short answer could cost too much, requests get the error 402, which says what is left and when the budget starts again. Nothing is ever charged above the budget. Usage beyond the plan is not sold: to go on at once, choose a larger plan. A key can also name a cheaper model that answers instead.'
    },
    ...writeBilling(plans),
    ...(free === undefined ? [] : [{ title: 'What does the free plan include?', markdown: writeFree(free, terms) }]),
    {
      title: 'Do prices change?',
      markdown: [
        'The pages of models show the prices that apply now, and every coming change with its date. A request keeps the prices of its start.',
        ...(terms.isMailing
          ? ['Before a price rises, accounts that used the model in the last 30 days get a mail.']
          : [])
      ].join(' ')
    },
    {
      title: 'What happens to my data?',
      markdown: [
        'Your requests go to the provider of the model that you call, whose own terms hold there: see [what each one keeps](/providers).',
        storedHere,
        `The request log keeps tokens, times and cost for ${countOf(terms.requestLogDays, 'day')}. You can download your data, and delete your account yourself.`
      ].join(' ')
    },
    { title: 'Which clients work?', markdown: writeClients(facts) },
    {
      title: 'How do I cancel or leave?',
      markdown:
        'Cancel a paid plan on the Billing page. It runs until the end of the time that you paid for, and nothing more is charged. The API speaks the formats of the providers, so your code goes on elsewhere with another base URL.'
    }
  ]
}

const ownBudgets = 'You can set lower budgets for the account and for each key.'

/** What usage is, and when money is taken. */
function writeBilling(plans: readonly SitePlan[]): Section[] {
  const offer = cheapestOffer(plans)
  const example =
    offer === null ? '' : `, such as ${formatUsd(offer.plan.monthUsd)} for ${writeAmount(offer.price)} a month`
  const usage = {
    title: 'What does usage mean?',
    markdown: `Usage is counted at the prices of the models. A plan includes it up to an amount in each calendar month (UTC)${example}. What is left at its end does not carry over.`
  }
  if (plans.every(({ prices }) => prices.length === 0)) {
    const surprise = `No. Usage stops at the monthly budget of your plan. ${ownBudgets}`
    return [usage, { title: 'Can a bill surprise me?', markdown: surprise }]
  }
  return [
    usage,
    {
      title: 'When do I pay?',
      markdown:
        'You pay the price of the plan at the checkout, then at the start of each month or year until you cancel. The checkout shows the whole amount, with tax if there is any. Every invoice is on the Billing page of the dashboard, as a PDF.'
    },
    {
      title: 'Can a bill surprise me?',
      markdown: `No. There are no charges beyond the price of the plan. ${ownBudgets}`
    }
  ]
}

function writeFree({ monthUsd, requestUsd, modelIds, keys }: SitePlan, { hasFreeLimit }: SiteTerms): string {
  const sentences = [
    `Usage of ${formatUsd(monthUsd)} in each calendar month, ${countOf(modelIds.size, 'model')}, and ${keys === null ? 'any number of keys' : countOf(keys, 'key')}. You need no card. A single request costs ${formatUsd(requestUsd)} at most, and each e-mail address has one free budget.`,
    ...(hasFreeLimit
      ? ['All free accounts together have a limit for each day. Once it is reached, they wait until midnight (UTC).']
      : [])
  ]
  return sentences.join(' ')
}

function writeClients(facts: SiteFacts): string {
  const paths = [...facts.endpoints].map((path) => `\`${path}\``)
  const named =
    paths.length === 0 ? '' : ` The endpoints are ${joinNames(paths)}: the page of each model names its own.`
  return speaksAnthropic(facts)
    ? `Clients of OpenAI’s and Anthropic’s APIs: their SDKs, LangChain, Vercel’s AI SDK, Claude Code, Codex, OpenCode and others.${named}`
    : `Clients of OpenAI’s API: its SDKs, LangChain, Vercel’s AI SDK and others.${named}`
}
