import { NumberField as Base } from '@base-ui/react/number-field'
import { useState } from 'react'
import { locale } from '../format/locale.ts'
import { controlLook } from '../ui/control-look.ts'
import { Field, type FieldProps } from './field.tsx'
import { marksOf, readNumber } from './read-number.ts'
import { Unit } from './unit.tsx'

interface NumberFieldProps extends FieldProps {
  readonly unit?: string
  readonly defaultValue?: number | null
  /** How much the arrow keys change the number. Default: 1. */
  readonly step?: number
  /** Whether only whole numbers can be typed. Otherwise up to nine decimals, as in the API. */
  readonly isWhole?: boolean
}

const marks = marksOf(locale)
/** Only of these the base field leaves out what it takes for marks between groups. */
const hasMarks = /^\s*[-−]?[\d.,\s'’]*[.,][\d.,\s'’]*$/

/**
 * A number in the notation of the reader's language, or another one if it is clear. The form gets it with a decimal point, or an
 * empty text. Its `read` checks the range.
 */
export function NumberField(props: NumberFieldProps) {
  const { name, label, hint, isOptional, unit, defaultValue = null, step, isWhole = false } = props
  const [value, setValue] = useState(defaultValue)
  const [isUnclear, setUnclear] = useState(false)
  const change = (found: number | null, { reason, event, cancel }: Base.Root.ChangeEventDetails) => {
    const typed = reason.startsWith('input-') ? (event.target as HTMLInputElement).value : ''
    const read = hasMarks.test(typed) ? readNumber(typed, marks, isWhole) : found
    setUnclear(read === null && found !== null)
    setValue(read)
    // It would show its own reading.
    if (reason === 'input-blur' && read !== found) cancel()
  }
  return (
    <Field
      name={name}
      label={label}
      hint={hint}
      isOptional={isOptional ?? false}
      {...(isUnclear && { unclear: 'Write this number without separators of thousands.' })}
    >
      <Base.Root
        value={value}
        onValueChange={change}
        {...(step !== undefined && { step })}
        locale={locale}
        format={{ maximumFractionDigits: isWhole ? 0 : 9 }}
      >
        <div className="relative">
          <Base.Input
            autoComplete="off"
            // The browser's own paste changes the text as typing does.
            onPaste={(event) => event.preventBaseUIHandler()}
            onBlur={(event) => {
              // An unclear text stays as it is.
              if (isUnclear) event.preventBaseUIHandler()
            }}
            className={`${controlLook} h-10 ${unit === undefined ? '' : 'pr-28'}`}
          />
          {unit !== undefined && <Unit>{unit}</Unit>}
        </div>
      </Base.Root>
    </Field>
  )
}
