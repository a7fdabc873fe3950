import { Field as Base } from '@base-ui/react/field'
import { type KeyboardEvent, useState } from 'react'
import { locale } from '../format/number.ts'
import { controlLook } from '../ui/class-names.ts'
import { Field, type FieldProps, Unit } from './fields.tsx'
import { type AmountReading, ownMarks, readAmount } from './read-number.ts'

interface NumberFieldProps extends FieldProps {
  /** `USD` for an amount of money. */
  readonly unit?: string
  readonly defaultValue?: number | null
  /** How much the arrow keys change the number. Default: 1. */
  readonly step?: number
  /** Whether only whole numbers can be typed. Otherwise up to nine decimals, as in the API. */
  readonly isWhole?: boolean
}

/** Without marks between groups: not every language has groups of three digits. */
const notation = new Intl.NumberFormat(locale, { maximumFractionDigits: 9, useGrouping: false })
const textOf = (value: number | null): string => (value === null ? '' : notation.format(value))
/** The beginning of a number: it gets no problem while somebody still types. */
const begun = /^[\s$.,\-−]*$/

/**
 * A number in the notation of the reader's language, or another one if it is clear. What is not clear stays as it was
 * typed, with its problem; the form is not sent until it is gone. `numberOf` reads the text, and the form's `read`
 * checks the range.
 */
export function NumberField(props: NumberFieldProps) {
  const { name, label, hint, isOptional, unit, defaultValue = null, step = 1, isWhole = false } = props
  const [text, setText] = useState(() => textOf(defaultValue))
  const { value, problem } = readAmount(text, ownMarks, { isWhole, isMoney: unit === 'USD' })
  return (
    <Field
      name={name}
      label={label}
      hint={hint}
      isOptional={isOptional ?? false}
      {...(problem !== null && { unclear: problem, isUnclearShown: !begun.test(text) })}
    >
      <div className="relative">
        <Base.Control
          value={text}
          onValueChange={setText}
          inputMode={isWhole ? 'numeric' : 'decimal'}
          autoComplete="off"
          onKeyDown={(event) => {
            const next = stepped(event, { value, problem }, step)
            if (next !== null) setText(textOf(next))
          }}
          // Shows how the text was read.
          onBlur={() => problem === null && setText(textOf(value))}
          className={`${controlLook} h-10 ${unit === undefined ? '' : 'pr-28'}`}
        />
        {unit !== undefined && <Unit>{unit}</Unit>}
      </div>
    </Field>
  )
}

/** The number after an arrow key; null for other keys, and if the present text is no number. */
function stepped(event: KeyboardEvent, { value, problem }: AmountReading, step: number): number | null {
  const direction = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
  if (direction === 0 || problem !== null) return null
  event.preventDefault()
  return Number(((value ?? 0) + direction * step).toFixed(9))
}
