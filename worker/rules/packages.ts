/** PKG3: how long a key package that was given out is known as such: longer than it is good for. */
const GIVEN_DAYS = 100

/** What was given out on this day or before is forgotten. */
export function givenDeadline(today: number): number {
  return today - GIVEN_DAYS - 1
}
