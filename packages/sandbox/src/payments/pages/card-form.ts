import type { CardInput } from '../billing/check-card.ts'
import { StripeApiError } from '../errors.ts'
import type { FormFields } from '../http/parse-form.ts'
import { type Problem, renderField } from './field.ts'

/** The fields of a card form. */
export interface CardForm extends CardInput {
  name: string
}

export const emptyCard: CardForm = { number: '', expiry: '', cvc: '', name: '' }

const formFields: Readonly<Record<string, keyof CardForm>> = { number: 'number', exp_month: 'expiry', cvc: 'cvc' }

export function readCardForm(form: FormFields): CardForm {
  return {
    number: textOf(form, 'number'),
    expiry: textOf(form, 'expiry'),
    cvc: textOf(form, 'cvc'),
    name: textOf(form, 'name')
  }
}

/** The text of a field; empty if it was not sent. */
export function textOf(form: FormFields, name: string): string {
  const value = form[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** Turns a declined card into a problem of its field. Rethrows any other error. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof StripeApiError) || error.body.type !== 'card_error') throw error
  return { field: formFields[error.body.param ?? ''] ?? 'number', message: error.message }
}

/** Renders the fields of a card. The security code is always empty. */
export function renderCardFields(card: CardForm, problem: Problem | null): string {
  return `
    ${renderField({ name: 'number', label: 'Card number', value: card.number, autocomplete: 'cc-number', inputmode: 'numeric', placeholder: '4242 4242 4242 4242' }, problem)}
    <div class="pair">
      ${renderField({ name: 'expiry', label: 'Expiry (MM / YY)', value: card.expiry, autocomplete: 'cc-exp', placeholder: '12 / 34' }, problem)}
      ${renderField({ name: 'cvc', label: 'Security code', value: '', autocomplete: 'cc-csc', inputmode: 'numeric', placeholder: '123' }, problem)}
    </div>
    ${renderField({ name: 'name', label: 'Name on card', value: card.name, autocomplete: 'cc-name' }, problem)}`
}

/** Explains the test cards. */
export const testCardHints = `
  <details><summary>Test cards</summary><dl>
    <dt><code>4242 4242 4242 4242</code></dt><dd>pays</dd>
    <dt><code>4000 0000 0000 0002</code></dt><dd>is declined</dd>
    <dt><code>4000 0000 0000 0341</code></dt><dd>pays now and fails at renewal</dd>
  </dl><p class="quiet">Use any future date and any security code.</p></details>`
