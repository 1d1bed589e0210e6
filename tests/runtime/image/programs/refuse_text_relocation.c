/* An address inside the text, as code without -fPIC has. */
int target;
__asm__(".text\n.globl address_in_text\naddress_in_text: .quad target\n");

int main(void) { return target; }
