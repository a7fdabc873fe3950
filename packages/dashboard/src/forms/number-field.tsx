import { NumberField as Base } from '@base-ui/react/number-field'
import { locale } from '../format/locale.ts'
import { controlLook } from '../ui/control-look.ts'
import { Field, type FieldProps } from './field.tsx'
import { Unit } from './unit.tsx'

interface NumberFieldProps extends FieldProps {
  readonly unit?: string
  readonly defaultValue?: number | null
  /** How much the arrow keys change the number. Default: 1. */
  readonly step?: number
  /** Whether only whole numbers can be typed. Otherwise up to nine decimals, as in the API. */
  readonly isWhole?: boolean
}

/**
 * A number in the notation of the reader's language. The form gets it with a decimal point, or an empty text. Its `read` checks
 * the range.
 */
export function NumberField({ name, label, hint, isOptional, unit, defaultValue, step, isWhole }: NumberFieldProps) {
  return (
    <Field name={name} label={label} hint={hint} isOptional={isOptional ?? false}>
      <Base.Root
        {...(defaultValue != null && { defaultValue })}
        {...(step !== undefined && { step })}
        locale={locale}
        format={{ maximumFractionDigits: isWhole === true ? 0 : 9 }}
      >
        <div className="relative">
          <Base.Input autoComplete="off" className={`${controlLook} h-10 ${unit === undefined ? '' : 'pr-28'}`} />
          {unit !== undefined && <Unit>{unit}</Unit>}
        </div>
      </Base.Root>
    </Field>
  )
}
