/* Functions that nothing defines, and one weak one, which is fine. */
extern int first_missing(void);
extern int second_missing(void);
__attribute__((weak)) extern int weak_missing(void);

int main(void) { return first_missing() + second_missing() + (weak_missing == 0 ? 0 : weak_missing()); }
