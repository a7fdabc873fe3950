/** What happened to an act above the operators' amount: see `OPERATOR_CONFIRM_ABOVE_USD`. */
export const waitsForSecond = 'Waits for a second operator. Nothing was changed yet.'
