/* The client of sfsexp: counts what its event parser tells. */

#include <sexp.h>
#include <stdint.h>
#include <stddef.h>

static _Thread_local uint64_t lexemes, bytes;

static void delimiter(void) { lexemes++; }

/* The length of an atom counts the zero byte after it. */
static void atom(const char *data, size_t length, atom_t kind) {
    (void)data;
    (void)kind;
    lexemes++;
    bytes += length - 1;
}

/* Reads `length` bytes, the last of which is white space, and which a zero byte follows. Returns 0, or what is wrong. */
int sfsexp_count(char *text, size_t length, uint64_t *lexemes_out, uint64_t *bytes_out) {
    parser_event_handlers_t handlers = {delimiter, delimiter, atom, NULL};
    pcont_t *parser = init_continuation(text);
    if (parser == NULL)
        return SEXP_ERR_MEMORY;
    parser->mode = PARSER_EVENTS_ONLY;
    parser->event_handlers = &handlers;
    parser->error = SEXP_ERR_OK;
    parser->last_sexp = NULL;
    lexemes = bytes = 0;
    /* It stops after each of the outermost forms, and says where. */
    char *at = text;
    while (at < text + length) {
        cparse_sexp(text, length, parser);
        if (parser->error != SEXP_ERR_OK || parser->lastPos == NULL)
            break;
        at = parser->lastPos;
    }
    int error = parser->depth > 0 ? SEXP_ERR_INCOMPLETE : parser->error == SEXP_ERR_INCOMPLETE ? 0 : parser->error;
    parser->event_handlers = NULL;
    destroy_continuation(parser);
    *lexemes_out = lexemes;
    *bytes_out = bytes;
    return error;
}
