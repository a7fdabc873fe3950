import { escapeHtml } from '../../mailbox/html.ts'

export interface Field {
  name: string
  label: string
  value: string
  /** The `autocomplete` attribute. */
  autocomplete: string
  type?: 'text' | 'email'
  inputmode?: 'numeric' | 'email' | 'text'
  placeholder?: string
  isReadOnly?: boolean
}

/** An error message for a field of a form. */
export interface Problem {
  field: string
  message: string
}

/** Renders a labelled input with its error message. */
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
