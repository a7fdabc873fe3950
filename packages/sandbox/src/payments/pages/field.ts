import { escapeHtml } from '../../mailbox/html.ts'

export interface Field {
  name: string
  label: string
  value: string
  /** What browsers fill in by. */
  autocomplete: string
  type?: 'text' | 'email'
  inputmode?: 'numeric' | 'email' | 'text'
  placeholder?: string
  isReadOnly?: boolean
}

/** What is wrong with a field, in words for the person. */
export interface Problem {
  field: string
  message: string
}

/** A labelled input, and beside it what is wrong with it. */
export function renderField(field: Field, problem: Problem | null): string {
  const { name, label, value, autocomplete, type = 'text', inputmode = 'text', placeholder, isReadOnly } = field
  const isWrong = problem?.field === name
  const attributes = [
    `id="${name}" name="${name}" type="${type}" inputmode="${inputmode}" autocomplete="${autocomplete}" required`,
    `value="${escapeHtml(value)}"`,
    placeholder === undefined ? '' : `placeholder="${escapeHtml(placeholder)}"`,
    isReadOnly === true ? 'readonly' : '',
    isWrong ? `aria-invalid="true" aria-describedby="${name}-problem" autofocus` : ''
  ]
  const wrong = isWrong ? `<p class="problem" id="${name}-problem" role="alert">${escapeHtml(problem.message)}</p>` : ''
  return `<div class="field"><label for="${name}">${escapeHtml(label)}</label><input ${attributes.filter(Boolean).join(' ')}>${wrong}</div>`
}
